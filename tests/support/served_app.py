"""Patchbay as a user of one app runs it: commands and a server on one data folder with a passphrase vault."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.support import flow_files as files
from tests.support.processes import Done, Interface, Service, program, run


class ServedApp:
    """A data folder in which accounts are connected, and whose published flows a server polls."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        self._passphrase = folder / "passphrase"
        self._passphrase.write_text("correct horse")
        self._passphrase.chmod(0o600)

    def command(self, *words: object, stdin: str = "") -> Done:
        """A command of the program on the folder, which no server uses at that moment."""
        return run(program("--passphrase-file", self._passphrase, *words, data=self.data), stdin=stdin)

    def connect(self, app: str, fields: Mapping[str, str], **secrets: str) -> Done:
        """Add a connection; the secret fields are read from standard input."""
        given = [f"--field={key}={value}" for key, value in fields.items()]
        hidden = [word for key in secrets for word in ("--secret-stdin", key)]
        stdin = "".join(f"{value}\n" for value in secrets.values())
        return self.command("connection", "add", "--app", app, *given, *hidden, "--json", stdin=stdin)

    def connections(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.command("connection", "list", "--json").json
        return found

    def publish(self, name: str, *steps: files.Document) -> str:
        """The ID of a published flow of these steps, each with the only account of its app."""
        file = files.write(self.folder / f"{name}.json", files.flow(name, *steps))
        done = self.command("flow", "import", file, "--publish", "--use-accounts", "--json")
        assert (done.code, done.err) == (0, ""), done
        [flow] = done.json
        return str(flow["id"])

    def make_polls_due(self) -> None:
        """As if an hour had passed since the published flows were polled."""
        with closing(sqlite3.connect(self.data / "patchbay.db")) as database, database:
            changed = database.execute("UPDATE trigger_state SET next_due_at = 1").rowcount
        assert changed, "no published flow is polled"

    @contextmanager
    def served(self) -> Iterator[tuple[Service, Interface]]:
        """A server on the folder, and its HTTP API."""
        with Service(self.data, "--passphrase-file", str(self._passphrase)) as service:
            interface = Interface(service)
            try:
                yield service, interface
            finally:
                interface.close()

    def options(self, step: files.Document, loader: str, **parameters: str) -> dict[str, str]:
        """Labels and values of a dropdown of an action, as the editor of a draft requests them."""
        flow = files.flow("Draft", files.catch(), step)
        file = files.write(self.folder / "draft.json", flow)
        done = self.command("flow", "import", file, "--use-accounts", "--copy", "--json")
        assert done.code == 0, done
        with self.served() as (_, interface):
            [_, action] = interface.data(f"/v1/flows/{done.json[0]['id']}")["steps"]
            wanted = {"dynamicDataKey": loader, "parameters": parameters}
            answer = interface.http.post(f"/v1/steps/{action['id']}/dynamic-data", json=wanted)
        assert answer.status_code == 200, answer.text
        return {option["label"]: option["value"] for option in answer.json()["data"]}

    def polled(self, name: str, count: int = 1) -> list[dict[str, Any]]:
        """The executions that a server starts by polling, newest first, each with its `steps`."""
        self.make_polls_due()
        with self.served() as (_, interface):
            found = interface.finished(name, count)
            return [{**execution, "steps": interface.steps(execution["id"])} for execution in found]
