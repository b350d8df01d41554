"""A real mail service on this computer: Postfix takes mail, Dovecot keeps it. Needs root, as Postfix does."""

import imaplib
import os
import shutil
import smtplib
import socket
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from imapclient import imap_utf7
from tests.support.certificates import write_certificates
from tests.support.mail_config import DOVECOT, MAIN, MASTER
from tests.support.patience import PATIENCE
from tests.support.ports import free_port
from tests.support.processes import until

DOMAIN = "example.test"
PASSWORD = "planted-Wörd-7731"
ADA, GRACE = f"ada@{DOMAIN}", f"grace@{DOMAIN}"
_START_SECONDS = 20.0


def why_missing() -> str:
    """Why the service cannot run here; empty when it can."""
    programs = (shutil.which("postfix"), shutil.which("dovecot"), Path("/usr/lib/dovecot/lmtp").exists())
    if not all(programs):
        return "the packages postfix, dovecot-imapd and dovecot-lmtpd are not installed here"
    return "" if os.geteuid() == 0 else "Postfix is started by root only"


needs_mail_service = pytest.mark.skipif(bool(why_missing()), reason=why_missing())


class MailService:
    """The running service. Its users are ada and grace, each with their whole address and `PASSWORD`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {name: free_port() for name in ("smtp", "smtps", "imap", "imaps", "lmtp", "sasl")}
        self._edits = 1_700_000_000
        self._dovecot: subprocess.Popen[bytes] | None = None

    def account(self, kind: str, **changes: Any) -> dict[str, Any]:
        """What a person enters to connect ada by smtp or imap; no encryption where nothing else is said."""
        return {
            "screenName": f"Ada by {kind}",
            "host": "127.0.0.1",
            "port": str(self.ports[kind]),
            "username": ADA,
            "password": PASSWORD,
            "useTls": False,
            **changes,
        }

    def place(self, kind: str) -> str:
        return f"127.0.0.1:{self.ports[kind]}"

    # Its life

    def start(self) -> None:
        self.set_password(PASSWORD)
        write_certificates(self.folder)
        for name in ("queue", "data", "mail", "pf"):
            (self.folder / name).mkdir()
        shutil.chown(self.folder / "data", "postfix")
        shutil.chown(self.folder / "mail", "mail", "mail")
        for name, text in (("dovecot.conf", DOVECOT), ("pf/main.cf", MAIN), ("pf/master.cf", MASTER)):
            filled = text.format(folder=self.folder, domain=DOMAIN, **self.ports)
            (self.folder / name).write_text(filled)
        self.start_dovecot()
        self.start_postfix()

    def start_dovecot(self) -> None:
        self._dovecot = self._run("dovecot", "-F", "-c", self.folder / "dovecot.conf")
        until(lambda: _answers(self.ports["imap"]), _START_SECONDS)

    def start_postfix(self) -> None:
        self._tell_postfix("start")
        until(lambda: _answers(self.ports["smtp"]), _START_SECONDS)

    def stop_dovecot(self) -> None:
        _end(self._dovecot)

    def stop_postfix(self) -> None:
        if (self.folder / "queue/pid/master.pid").exists():
            self._tell_postfix("stop")

    def set_password(self, password: str) -> None:
        """From now on both users need this password."""
        lines = [f"{user}:{{PLAIN}}{password}\n" for user in (ADA, GRACE)]
        users = self.folder / "users"
        users.write_text("".join(lines))
        self._edits += 10
        os.utime(users, (self._edits, self._edits))  # Dovecot looks at whole seconds, once in a second
        if self._dovecot is not None:
            until(lambda: self._accepts(password), every=0.2)

    def _accepts(self, password: str) -> bool:
        client = imaplib.IMAP4("127.0.0.1", self.ports["imap"])
        try:
            client.authenticate("PLAIN", lambda _: f"\0{ADA}\0{password}".encode())
        except imaplib.IMAP4.error:
            return False
        finally:
            client.shutdown()
        return True

    # What a person does there with another mail program

    @contextmanager
    def mailbox(self, user: str = ADA, folder: str = "INBOX") -> Iterator[imaplib.IMAP4]:
        """The user's folder, opened with the standard library."""
        client = imaplib.IMAP4("127.0.0.1", self.ports["imap"])
        try:
            client.authenticate("PLAIN", lambda _: f"\0{user}\0{PASSWORD}".encode())
            client.select(_named(folder))
            yield client
        finally:
            with suppress(OSError, imaplib.IMAP4.error):
                client.logout()

    def put(self, *messages: EmailMessage, user: str = ADA, folder: str = "INBOX", flags: str = "") -> None:
        """Lay messages into a folder, as they are."""
        with self.mailbox(user, folder) as client:
            for one in messages:
                done, said = client.append(_named(folder), flags, "", one.as_bytes(policy=policy.SMTP))
                assert done == "OK", said

    def put_raw(self, *messages: bytes) -> None:
        """Lay messages into ada's inbox, byte for byte."""
        with self.mailbox() as client:
            for one in messages:
                done, said = client.append("INBOX", "", "", one)
                assert done == "OK", said

    def make_folder(self, name: str) -> None:
        with self.mailbox() as client:
            done, said = client.create(_named(name))
            assert done == "OK", said

    def empty(self, user: str) -> None:
        """Delete every message, and every folder but the inbox."""
        with self.mailbox(user) as client:
            if client.search(None, "ALL")[1] != [b""]:
                client.store("1:*", "+FLAGS", "\\Deleted")
                client.expunge()
            for line in client.list()[1]:
                name = line.split(b' "." ')[-1] if isinstance(line, bytes) else b"INBOX"
                if name != b"INBOX":
                    client.delete(name.decode())

    def renumber(self, folder: str) -> None:
        """Give the folder another UIDVALIDITY, as a server does after a repair."""
        new = str(self.validity(folder) + 1000)
        words = ["doveadm", "-c", str(self.folder / "dovecot.conf"), "mailbox", "update"]
        subprocess.run([*words, "--uid-validity", new, "-u", ADA, folder], check=True, timeout=30)

    def send(self, message: EmailMessage) -> None:
        """Send a message as another program does."""
        with smtplib.SMTP("127.0.0.1", self.ports["smtp"]) as client:
            _sign_in(client)
            client.send_message(message)

    # What one finds there

    def messages(self, user: str = ADA, folder: str = "INBOX") -> list[EmailMessage]:
        """What lies in a folder, oldest first."""
        with self.mailbox(user, folder) as client:
            uids = client.uid("SEARCH", "ALL")[1][0].split()
            found = [client.uid("FETCH", uid, "(BODY.PEEK[])")[1][0][1] for uid in uids]
        return [message_from_bytes(raw, policy=policy.default) for raw in found]

    def arrived(self, subject: str, user: str = ADA) -> EmailMessage:
        """The message with this subject, waited for."""
        return until(
            lambda: next((one for one in self.messages(user) if one["Subject"] == subject), None), every=0.1
        )

    def seen(self, folder: str = "INBOX") -> int:
        """How many of ada's messages there are marked as read."""
        with self.mailbox(ADA, folder) as client:
            return len(client.uid("SEARCH", "SEEN")[1][0].split())

    def validity(self, folder: str = "INBOX") -> int:
        with self.mailbox() as client:
            said = client.status(_named(folder), "(UIDVALIDITY)")[1][0]
        return int(said.rpartition(b"UIDVALIDITY ")[2].rstrip(b")"))

    def idling(self) -> int:
        """How many connections wait for notifications of new mail (IDLE)."""
        assert self._dovecot is not None
        return sum(" IDLE" in title for title in _titles_of_children(self._dovecot.pid))

    def settle(self) -> None:
        """Wait until no message is on its way any more."""
        places = [self.folder / "queue" / name for name in ("maildrop", "incoming", "active", "deferred")]
        until(lambda: not [path for place in places for path in place.rglob("*") if path.is_file()])

    def logs(self) -> str:
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def _tell_postfix(self, word: str) -> None:
        """Postfix goes to the background by itself; it is ended by the process id that it keeps."""
        words = ["postfix", "-c", str(self.folder / "pf"), word]
        subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=30)

    def _run(self, *words: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            list(map(str, words)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@contextmanager
def mail_service() -> Iterator[MailService]:
    """Run the service while the block runs. Its folder is open to it, with a short name, as sockets need."""
    folder = Path(tempfile.mkdtemp(prefix="mail-"))
    folder.chmod(0o755)
    service = MailService(folder)
    try:
        service.start()
        yield service
    finally:
        service.stop_postfix()
        service.stop_dovecot()
        shutil.rmtree(folder, ignore_errors=True)


def message(subject: str, text: str = "Hello", to: str = ADA, sender: str = GRACE) -> EmailMessage:
    made = EmailMessage()
    made["From"] = sender
    made["To"] = to
    made["Subject"] = subject
    made.set_content(text)
    return made


def _titles_of_children(pid: int) -> Iterator[str]:
    """What the processes that a process started say about themselves."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                yield (folder / "cmdline").read_text(errors="replace")


def _named(folder: str) -> str:
    """A folder's name as the protocol writes it."""
    return '"' + imap_utf7.encode(folder).decode("ascii") + '"'


def _sign_in(client: smtplib.SMTP) -> None:
    client.ehlo()
    plain = b64encode(f"\0{ADA}\0{PASSWORD}".encode()).decode()
    code, said = client.docmd("AUTH", f"PLAIN {plain}")
    assert code == 235, said


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        return bool(line.recv(1))
    return False


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None and process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
