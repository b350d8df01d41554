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

import pytest
from tests.support.certificates import write_certificates
from tests.support.ports import free_port
from tests.support.processes import until

from patchbay.domain.base import JsonObject

DOMAIN = "example.test"
PASSWORD = "planted-Wörd-7731"
ADA, GRACE = f"ada@{DOMAIN}", f"grace@{DOMAIN}"
_START_SECONDS = 20.0
_DOVECOT = """\
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
listen = 127.0.0.1
protocols = imap lmtp
ssl = yes
ssl_cert = <{folder}/server.pem
ssl_key = <{folder}/server.key
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:~/Maildir
passdb {{
  driver = passwd-file
  args = scheme=plain {folder}/users
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={folder}/mail/%n
}}
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    port = {lmtp}
  }}
}}
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service auth {{
  inet_listener sasl {{
    port = {sasl}
  }}
}}
"""
_MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.{domain}
mydestination =
alias_maps =
virtual_mailbox_domains = {domain}
virtual_mailbox_maps = inline:{{ ada@{domain}=ada, grace@{domain}=grace }}
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
default_transport = error:no mail leaves this test
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:{sasl}
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
smtpd_tls_security_level = may
smtpd_tls_cert_file = {folder}/server.pem
smtpd_tls_key_file = {folder}/server.key
smtpd_tls_loglevel = 0
message_size_limit = 20000000
"""
_MASTER = """\
127.0.0.1:{smtp} inet n - n - - smtpd
127.0.0.1:{smtps} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
tlsmgr unix - - n 1000? 1 tlsmgr
lmtp unix - - n - - lmtp
error unix - - n - - error
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""


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
        self._dovecot: subprocess.Popen[bytes] | None = None

    def account(self, kind: str, **changes: object) -> JsonObject:
        """What a person enters to connect ada by smtp or imap; no encryption where nothing else is said."""
        return {
            "screenName": f"Ada by {kind}", "host": "127.0.0.1", "port": str(self.ports[kind]),
            "username": ADA, "password": PASSWORD, "useTls": False, **changes,
        }  # type: ignore[dict-item]  # fmt: skip

    # Its life

    def start(self) -> None:
        self.set_password(PASSWORD)
        write_certificates(self.folder)
        for name in ("queue", "data", "mail", "pf"):
            (self.folder / name).mkdir()
        shutil.chown(self.folder / "data", "postfix")
        shutil.chown(self.folder / "mail", "mail", "mail")
        for name, text in (("dovecot.conf", _DOVECOT), ("pf/main.cf", _MAIN), ("pf/master.cf", _MASTER)):
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
        (self.folder / "users").write_text("".join(lines))

    # What a person does there with another mail program

    @contextmanager
    def mailbox(self, user: str = ADA, folder: str = "INBOX") -> Iterator[imaplib.IMAP4]:
        """The user's folder, opened with the standard library."""
        client = imaplib.IMAP4("127.0.0.1", self.ports["imap"])
        try:
            client.authenticate("PLAIN", lambda _: f"\0{user}\0{PASSWORD}".encode())
            client.select(folder)
            yield client
        finally:
            with suppress(OSError, imaplib.IMAP4.error):
                client.logout()

    def put(self, *messages: EmailMessage, user: str = ADA, folder: str = "INBOX", flags: str = "") -> None:
        """Lay messages into a folder, as they are."""
        with self.mailbox(user, folder) as client:
            for message in messages:
                done, said = client.append(folder, flags, "", message.as_bytes(policy=policy.SMTP))
                assert done == "OK", said

    def send(self, message: EmailMessage) -> None:
        """Send a message as another program does."""
        with smtplib.SMTP("127.0.0.1", self.ports["smtp"]) as client:
            _sign_in(client)
            client.send_message(message)

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
    made["From"], made["To"], made["Subject"] = sender, to, subject
    made.set_content(text)
    return made


def _sign_in(client: smtplib.SMTP) -> None:
    client.ehlo()
    plain = b64encode(f"\0{ADA}\0{PASSWORD}".encode()).decode()
    code, said = client.docmd("AUTH", f"PLAIN {plain}")
    assert code == 235, said


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as line:
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
