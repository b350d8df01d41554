"""Files of a real server: nobody gets at them until an admin allows the folder, and no longer than that."""

import json

import pytest
from tests.support import flow_files as files
from tests.support.processes import Service, until

pytestmark = pytest.mark.acceptance


def test_a_server_s_files_are_used_while_their_folder_is_allowed(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "old.txt").write_text("known at publishing")
    watching = files.step(
        "files", "newOrChangedFile", folder=str(shared), pattern="*.txt", changes="new", settleSeconds="1"
    )
    copying = files.step(
        "files", "copyFile", path="{{step.#1.path}}", target=f"{shared}/done/{{{{step.#1.name}}}}"
    )
    file = files.write(tmp_path / "flow.json", [files.flow("Copies", watching, copying)])

    with Service(tmp_path / "data") as service:
        rejected = service.command("flow", "import", file, "--publish", "--json")
        whole_disk = service.command("engine", "settings", "--allow-folder", "/")
        allowed = service.command("engine", "settings", "--allow-folder", str(shared), "--json").json
        own = service.command("engine", "settings", "--allow-folder", str(service.data), "--json")
        made = service.command("flow", "import", file, "--publish", "--json").json
        (shared / "new.txt").write_text("from a program")
        until(lambda: (shared / "done" / "new.txt").exists())
        copied = (shared / "done" / "new.txt").read_text()
        secret = files.flow(
            "Reads", files.catch(), files.step("files", "readFile", path="{{step.#1.body.path}}")
        )
        [reading] = service.command(
            "flow", "import", files.write(tmp_path / "reads.json", [secret]), "--publish", "--json"
        ).json
        outcomes = {}
        for path in (f"{shared}/new.txt", "/etc/passwd", f"{service.data}/patchbay.db", "/proc/self/environ"):
            body = json.dumps({"body": {"path": path}})
            ran = service.command("flow", "run", reading["id"], "--input", "-", "--json", stdin=body).json
            outcomes[path] = ran["status"]
        removed = ["--remove-folder", str(shared), "--remove-folder", str(service.data)]
        service.command("engine", "settings", *removed)
        again = service.command("flow", "run", reading["id"], "--input", "-", stdin=json.dumps({"body": {}}))

    assert rejected.code != 0
    assert "no folder is allowed" in rejected.out + rejected.err
    assert whole_disk.code != 0
    assert allowed["allowedFolders"] == [str(shared)]
    assert own.code == 0  # nothing in it can be used, as the outcomes show
    assert made
    assert copied == "from a program"
    assert not (shared / "done" / "old.txt").exists()
    assert [*outcomes.values()] == ["success", "failure", "failure", "failure"]
    assert "no folder is allowed" in again.out + again.err
