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
NAMES = ("demo", "local", "server", "recorded")


@contextmanager
def workspace(name: str, display: dict[str, str], folder: Path) -> Iterator[Start]:
    """How to open a window on the demo, this computer, a server of ours, or a recorded one of others."""
    if name == "local":
        _fill(folder / "filled")
    with ExitStack() as ends:
        if name == "server":
            address, key = _serve(ends, folder / "served")
        elif name == "recorded":
            service = RecordedService()
            ends.enter_context(Elsewhere()).start(service)
            address, key = service.address, KEY

        def start(stack: ExitStack) -> PatchbayWindow:
            data = another(folder) / "data"
            if name in ("demo", "local"):
                if name == "local":
                    shutil.copytree(folder / "filled", data)
                window = PatchbayWindow(display, data, "--safe", "--workspace", name)
            else:
                window = PatchbayWindow(display, data, "--workspace", address, "--api-key-stdin", stdin=key)
            stack.callback(window.close)
            return window

        yield start


def another(folder: Path) -> Path:
    """A new folder in this one."""
    made = folder / str(len(list(folder.iterdir())))
    made.mkdir()
    return made


def _fill(data: Path) -> None:
    """A few flows, some of them published, and executions of one."""
    documents = [
        files.flow("Orders", files.catch(), files.trimmed("{{step.#1.body.customer}}")),
        files.nightly("http://127.0.0.1:9/"),
        files.flow(
            "Only large orders", files.catch(), files.only_if("{{step.#1.body.total}}", "greater_than", "10")
        ),
    ]
    for number, document in enumerate(documents):
        file = files.write(data.with_name(f"flow-{number}.json"), document)
        publish = ["--publish"] if number == 0 else []
        done = run(program("flow", "import", file, *publish, "--json", data=data))
        assert done.code == 0, done.err
    with Service(data) as service:
        interface = Interface(service)
        for customer in ("Ada", "Grace"):
            address = f"/webhooks/flows/{files.an_id('Orders')}"
            interface.http.post(address, json={"customer": customer})
        interface.close()


def _serve(ends: ExitStack, data: Path) -> tuple[str, str]:
    """A running service on such a folder, and an API key for it."""
    _fill(data)
    key = run(program("api-key", "create", "--json", data=data)).json["key"]
    return ends.enter_context(Service(data)).address, key
