"""Workspaces in which each filter has something to find, with a window on them."""

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.support import flow_files as files
from tests.support.processes import Interface, Service, program, run
from tests.window.direct import Direct
from tests.window.driver import PatchbayWindow
from tests.window.workspaces import fill, passphrase_file

PEOPLE = ("Ada Lovelace", "Åsa Öberg", "Bo Ek", "Chloë Dupont", "Dana", "Émile", "Flo", "Gus", "Zoë Müller")
NUMBERED = ("Orders 9", "orders 40", "Ärger & Söhne → Prüfung", "100% _literal_")
"""Names of drafts: in natural order, not ASCII, and with what patterns of a database mean."""
FOLDERS = ("Billing", "Käufe und Verkäufe", "Empty")


@dataclass(frozen=True)
class Shown:
    """A window on a workspace, and what the workspace holds."""

    window: PatchbayWindow
    direct: Direct
    interface: Interface


def shown(name: str, display: dict[str, str], folder: Path, ends: ExitStack) -> Shown:
    """A window in which no run starts, and a service to ask what it has to show.

    `server` and `demo` are services that the window is on. `local` is a folder, and the service stands on a
    copy of it: the demo of the window itself lives in its memory, where nobody else can look.
    """
    served, data = folder / "served", folder / "data"
    options = ("--safe", "--workspace", "demo") if name == "demo" else ("--safe",)
    if name != "demo":
        furnish(served)
    if name == "local":
        shutil.copytree(served, data)
    service = ends.enter_context(Service(served, *options))
    interface = Interface(service, *options[1:])
    # The hourly clean-up would take old executions away between the query and the look at the window.
    keep_everything = {"retention": {"successDays": None, "failureDays": None, "most": None}}
    assert interface.http.patch("/v1/engine", json=keep_everything).status_code == 200
    ends.callback(interface.close)
    if name == "local":
        vault = ["--passphrase-file", str(passphrase_file(folder / "passphrase"))]
        window = PatchbayWindow(display, data, *vault, "--safe", "--workspace", "local")
    else:
        window = PatchbayWindow(
            display, data, "--workspace", service.address, "--api-key-stdin", stdin=interface.key
        )
    ends.callback(window.close)
    return Shown(window, Direct(interface), interface)


def furnish(data: Path) -> None:
    """Flows in each state and folder, executions of each outcome, a retry, a test run, templates, people."""
    fill(data)
    drafts = [
        files.flow(name, files.catch(), files.trimmed("{{step.#1.body.customer}}")) for name in NUMBERED
    ]
    for number, draft in enumerate(drafts):
        file = files.write(data.with_name(f"draft-{number}.json"), draft)
        assert run(program("flow", "import", file, data=data)).code == 0
    with Service(data) as service:
        interface = Interface(service)
        _arrange(interface)
        interface.close()


def _arrange(interface: Interface) -> None:
    post = _sender(interface, "POST")
    flows = {flow["name"]: flow for flow in interface.data("/v1/flows")}
    folders = [post("/v1/folders", name=name)["id"] for name in FOLDERS]
    for flow, folder in (("Orders", folders[0]), ("Trimming", folders[1]), ("Orders 9", folders[0])):
        _sender(interface, "PATCH")(f"/v1/flows/{flows[flow]['id']}/folder", folderId=folder)
    failed = next(run for run in interface.data("/v1/executions") if run["state"] == "failure")
    post(f"/v1/executions/{failed['id']}/retry")
    for name in ("Orders 9", "Ärger & Söhne → Prüfung"):
        post(f"/v1/flows/{flows[name]['id']}/run", item={"customer": "Zoë"})
        interface.finished(name)
    interface.finished("Orders", 3)
    post(f"/v1/flows/{flows['Trimming']['id']}/pause")
    for name in PEOPLE:
        post("/v1/users", fullName=name, email=f"{len(name)}{ord(name[0])}@example.org")
    for flow in ("Orders", "100% _literal_"):
        post("/v1/templates", flowId=flows[flow]["id"], name=f"Template of {flow}")


def _sender(interface: Interface, method: str) -> Callable[..., dict[str, str]]:
    def send(path: str, **body: object) -> dict[str, str]:
        answer = interface.http.request(method, path, json=body)
        assert answer.status_code < 300, f"{path}: {answer.text}"
        found: dict[str, str] = answer.json().get("data") or {}
        return found

    return send
