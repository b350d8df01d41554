"""A real Redmine on this computer, from Debian's packages, with a database of its own in a temporary folder.

Debian's Redmine keeps its instances in folders below one of the system and takes their name from the
environment; a name that climbs out of there makes an instance that leaves no trace.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from tests.support.ports import free_port
from tests.support.processes import until

PROGRAM = Path("/usr/share/redmine")
_UP = "../" * 8
_SETUP = """
Setting.rest_api_enabled = '1'
Redmine::DefaultData::Loader.load('en')
site = Project.create!(name: 'Website', identifier: 'website', trackers: Tracker.all)
Project.create!(name: 'Archive', identifier: 'archive', status: Project::STATUS_ARCHIVED)
shop = Project.create!(name: 'Shop', identifier: 'shop', trackers: [Tracker.find_by_name('Support')])
shop.set_parent!(site)
grace = User.new(firstname: 'Grace', lastname: 'Hopper', mail: 'grace@example.org', language: 'en')
grace.login = 'grace'
grace.save!
Member.create!(principal: grace, project: site, roles: [Role.givable.first])
admin = User.find_by_login('admin')
admin.update_columns(must_change_passwd: false)
print admin.api_key
"""


def missing() -> str:
    """Why there can be no Redmine here; empty when there can."""
    if not (PROGRAM / "bin" / "rails").is_file():
        return "Redmine is not installed (Debian: redmine redmine-sqlite puma)"
    return "" if shutil.which("puma") else "puma is not installed"


@dataclass
class Redmine:
    """The running service, and a client of its own that knows the administrator's key."""

    address: str
    key: str
    run: Callable[[str], str]
    """Runs Ruby inside the instance and gives what it prints."""

    def __post_init__(self) -> None:
        headers = {"X-Redmine-API-Key": self.key}
        self.client = httpx.Client(base_url=self.address, headers=headers, timeout=30)

    def create_issue(self, **values: Any) -> int:
        """An issue made by somebody else; the answer is its number."""
        answer = self.client.post("/issues.json", json={"issue": values})
        assert answer.status_code == 201, answer.text
        return int(answer.json()["issue"]["id"])

    def issue(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/issues/{number}.json").json()["issue"]
        return found

    def new_key(self, login: str) -> str:
        """Another user's key."""
        return self.run(f"print User.find_by_login('{login}').api_key").split()[-1]

    def withdraw_key(self, login: str) -> None:
        self.run(f"User.find_by_login('{login}').api_token.destroy")

    def id_of(self, kind: str, name: str) -> str:
        """The id of a tracker or priority, as steps keep it."""
        paths = {"trackers": "/trackers.json", "issue_priorities": "/enumerations/issue_priorities.json"}
        found = self.client.get(paths[kind]).json()[kind]
        return next(str(one["id"]) for one in found if one["name"] == name)

    def project(self, identifier: str) -> str:
        """The id of a project, as steps keep it."""
        return str(self.client.get(f"/projects/{identifier}.json").json()["project"]["id"])


@contextmanager
def redmine(folder: Path) -> Iterator[Redmine]:
    """Set an instance up and run it while the block runs: some ten seconds."""
    for name in ("config", "log", "tmp", "files"):
        (folder / name).mkdir()
    database = f"production:\n  adapter: sqlite3\n  database: {folder}/redmine.db\n  encoding: utf8\n"
    (folder / "config" / "database.yml").write_text(database)
    (folder / "config" / "secret_key.txt").write_text("0123456789abcdef" * 4)
    (folder / "setup.rb").write_text(_SETUP)
    environment = {
        **os.environ,
        "X_DEBIAN_SITEID": f"{_UP}{folder.relative_to('/')}",
        "RAILS_ENV": "production",
        "SCHEMA": str(folder / "schema.rb"),
    }
    _rails(environment, "db:migrate")
    key = _rails(environment, "runner", str(folder / "setup.rb")).split()[-1]
    port = free_port()
    with (folder / "log" / "puma.log").open("wb") as log:
        words = ["puma", "-e", "production", "-b", f"tcp://127.0.0.1:{port}", "-t", "1:4", "config.ru"]
        process = subprocess.Popen(
            words, cwd=PROGRAM, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    running = Redmine(f"http://127.0.0.1:{port}", key, lambda code: _rails(environment, "runner", code))
    try:
        until(lambda: _answers(running.client), seconds=60, every=0.1)
        yield running
    finally:
        running.client.close()
        process.terminate()
        process.wait(20)


def _rails(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [PROGRAM / "bin" / "rails", *words],
        cwd=PROGRAM,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/users/current.json").status_code == 200
    except httpx.TransportError:
        return False
