"""What the window is opened on in the tests from outside: each start gets a fresh copy of the data."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support import flow_files as files
from tests.support.processes import Interface, Service, program, run
from tests.support.recorded_service import KEY, RecordedService
from tests.support.tiny_service import Elsewhere
from tests.window.driver import PatchbayWindow

Start = Callable[[ExitStack], PatchbayWindow]
OURS = ("demo", "local", "server")
NAMES = (*OURS, "recorded")


@contextmanager
def workspace(name: str, display: dict[str, str], folder: Path) -> Iterator[Start]:
    """How to open a window on the demo, this computer, a server of ours, or a recorded one of others."""
    if name == "local":
        fill(folder / "filled")
    with ExitStack() as ends:
        if name == "server":
            ours, key = served(ends, folder / "served")
            address = ours.address
        elif name == "recorded":
            service = RecordedService()
            ends.enter_context(Elsewhere()).start(service)
            address, key = service.address, KEY

        def start(stack: ExitStack) -> PatchbayWindow:
            data = another(folder) / "data"
            vault = ["--passphrase-file", str(passphrase_file(data.with_name("passphrase")))]
            if name in ("demo", "local"):
                if name == "local":
                    shutil.copytree(folder / "filled", data)
                options = vault if name == "local" else []
                window = PatchbayWindow(display, data, *options, "--safe", "--workspace", name)
            else:
                window = PatchbayWindow(display, data, "--workspace", address, "--api-key-stdin", stdin=key)
            stack.callback(window.close)
            return window

        yield start


def passphrase_file(file: Path) -> Path:
    """For a vault in place of the keyring of the system, whose question would lie over the window."""
    file.touch(mode=0o600)
    file.write_text("correct horse battery staple", encoding="utf-8")
    return file


def another(folder: Path) -> Path:
    """A new folder in this one."""
    made = folder / str(len(list(folder.iterdir())))
    made.mkdir()
    return made


def fill(data: Path) -> None:
    """Flows in each state, and executions that succeeded, failed, and were filtered."""
    orders = files.orders("http://127.0.0.1:9/")
    trimming = files.flow("Trimming", files.catch(), files.trimmed("{{step.#1.body.customer}}"))
    nightly = files.nightly("http://127.0.0.1:9/")
    published = []
    for number, document in enumerate((orders, trimming, nightly)):
        file = files.write(data.with_name(f"flow-{number}.json"), document)
        publish = ["--publish"] if document is not nightly else []
        done = run(program("flow", "import", file, *publish, "--json", data=data))
        assert done.code == 0, done.err
        published.append(done.json[0]["id"])
    with Service(data) as service:
        interface = Interface(service)
        for flow, total in ((0, 5), (0, 50), (1, 0), (1, 1)):
            sent = interface.http.post(
                f"/webhooks/flows/{published[flow]}", json={"customer": "Ada", "total": total}
            )
            assert sent.status_code < 300, sent.text
        interface.finished("Trimming", 2)
        interface.close()


def served(ends: ExitStack, data: Path) -> tuple[Service, str]:
    """A running service on such a folder, and an API key for it."""
    fill(data)
    key = run(program("api-key", "create", "--json", data=data)).json["key"]
    return ends.enter_context(Service(data)), key
