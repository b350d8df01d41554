"""A real CalDAV server, Radicale, on this computer: `with radicale(folder) as server:`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.support.ports import free_port
from tests.support.processes import until

USER, PASSWORD = "ann", "good-password-1234"
_CONFIG = """\
[server]
hosts = 127.0.0.1:{port}
[auth]
type = htpasswd
htpasswd_filename = {folder}/users
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = {folder}/collections
"""
_CALENDAR = """\
<C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop>
<displayname>{name}</displayname>
<C:supported-calendar-component-set><C:comp name="{holds}"/></C:supported-calendar-component-set>
</prop></set></C:mkcalendar>
"""


@dataclass
class Radicale:
    """The running server, and a calendar program of its own that knows the password."""

    address: str
    users: Path

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.address, auth=(USER, PASSWORD), timeout=10)

    def set_password(self, password: str) -> None:
        """From now on the server wants another password."""
        self.users.write_text(f"{USER}:{password}\n")

    def make_calendar(self, path: str, name: str, holds: str = "VEVENT") -> str:
        """A calendar of the user; the answer is its address."""
        body = _CALENDAR.format(name=name, holds=holds)
        answer = self.client.request("MKCALENDAR", f"/{USER}/{path}/", content=body)
        assert answer.status_code == 201, answer.text
        return f"{self.address}/{USER}/{path}/"

    def put(self, calendar: str, name: str, *lines: str) -> None:
        """Store an event, or change it, as any calendar program does."""
        event = ["BEGIN:VEVENT", f"UID:{name}", "DTSTAMP:20260301T080000Z", *lines, "END:VEVENT"]
        text = "\r\n".join(
            ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN", *event, "END:VCALENDAR", ""]
        )
        answer = self.client.put(
            f"{calendar}{name}.ics", content=text, headers={"Content-Type": "text/calendar"}
        )
        assert answer.status_code in (201, 204), answer.text

    def get(self, url: str) -> str:
        """What is stored there."""
        answer = self.client.get(url)
        assert answer.status_code == 200, answer.text
        return answer.text


@contextmanager
def radicale(folder: Path) -> Iterator[Radicale]:
    """Run the server while the block runs."""
    port = free_port()
    server = Radicale(f"http://127.0.0.1:{port}", folder / "users")
    server.set_password(PASSWORD)
    config = folder / "radicale.ini"
    config.write_text(_CONFIG.format(port=port, folder=folder))
    with (folder / "log").open("wb") as log:
        words = [sys.executable, "-m", "radicale", "--config", str(config)]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        until(lambda: _answers(server.client), every=0.05)
        yield server
    finally:
        server.client.close()
        process.terminate()
        process.wait(10)


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/.web/").status_code > 0
    except httpx.TransportError:
        return False
