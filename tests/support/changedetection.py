"""A real changedetection.io on this computer, and a page that it watches.

`with changedetection(folder) as server:`
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.support import patient
from tests.support.file_server import FileServer, file_server
from tests.support.ports import free_port
from tests.support.processes import until
from tests.support.python_services import PythonService

CHANGEDETECTION = PythonService("changedetection")
_ENVIRONMENT = {"ALLOW_IANA_RESTRICTED_ADDRESSES": "true", "DISABLE_VERSION_CHECK": "true"}
"""It may fetch pages of this computer, and asks nobody for news of itself."""


class ChangeDetection:
    """A server that can be stopped and started, and a program of its own that knows the key."""

    def __init__(self, folder: Path, site: FileServer) -> None:
        self.site = site
        self.page = site.write("prices.html", "<p>Flour: 1.20</p>")
        self._folder, self._port = folder, free_port()
        self.address = f"http://127.0.0.1:{self._port}"
        self._client = patient.Client(base_url=f"{self.address}/api/v1")
        self._run = ExitStack()

    def set_up(self) -> None:
        """Start it with one watched page, and wait until it knows the page."""
        self.start("-C", "-u", self.page)
        self._client.headers["x-api-key"] = self.key
        until(lambda: self.watch()["last_checked"], every=0.1)

    def start(self, *words: str) -> None:
        listen = ("-h", "127.0.0.1", "-p", self._port, "-d", self._folder / "store")
        log = self._folder / "changedetection.log"
        run = partial(CHANGEDETECTION.running, program="changedetection.io", environment=_ENVIRONMENT)
        self._run.enter_context(run(log, self._is_up, *listen, *words))

    def stop(self) -> None:
        self._run.close()

    def close(self) -> None:
        self.stop()
        self._client.close()

    @property
    def key(self) -> str:
        """The API key, which its settings page shows."""
        return str(self._settings()["settings"]["application"]["api_access_token"])

    def set_key(self, key: str) -> None:
        """Start it again with another API key."""
        self.stop()
        settings = self._settings()
        settings["settings"]["application"]["api_access_token"] = key
        self._store.write_text(json.dumps(settings))
        self.start()

    def watches(self) -> dict[str, Any]:
        """The watches by ID."""
        answer = self._client.get("/watch")
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    @property
    def watch_id(self) -> str:
        """The watch of the page."""
        return next(key for key, watch in self.watches().items() if watch["url"] == self.page)

    def watch(self) -> dict[str, Any]:
        return dict(self.watches()[self.watch_id])

    def change_page(self, text: str) -> None:
        """Change the page, and wait until the server has noticed it."""
        self.site.write("prices.html", text)
        self._client.get(f"/watch/{self.watch_id}", params={"recheck": "1"}).raise_for_status()
        until(lambda: self.watch()["last_changed"], every=0.1)

    @property
    def _store(self) -> Path:
        return self._folder / "store" / "changedetection.json"

    def _settings(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._store.read_text())
        return found

    def _is_up(self) -> bool:
        return self._client.get("/systeminfo").status_code in (200, 403) and self._store.exists()


@contextmanager
def changedetection(folder: Path) -> Iterator[ChangeDetection]:
    """Run the server, and the site that it watches, while the block runs."""
    with file_server(folder) as site:
        server = ChangeDetection(folder, site)
        try:
            server.set_up()
            yield server
        finally:
            server.close()
