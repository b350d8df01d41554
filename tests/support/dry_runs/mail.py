"""A small mail server on this computer: a mailbox (IMAP), and the messages sent through it (SMTP)."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

ACCOUNT: dict[str, Any] = {"host": "127.0.0.1", "username": "ada", "password": "secret-mail", "useTls": False}
_SUBJECT = re.compile(r'SUBJECT "([^"]*)"')


@dataclass
class MailServer:
    """Its ports, what is in its mailbox, and what was sent through it."""

    imap_port: int = 0
    smtp_port: int = 0
    inbox: list[EmailMessage] = field(default_factory=list)
    sent: list[EmailMessage] = field(default_factory=list)

    def account(self, app: str) -> dict[str, Any]:
        """The values of a connection of the app IMAP or SMTP."""
        return {**ACCOUNT, "port": str(self.imap_port if app == "imap" else self.smtp_port)}

    def receive(self, sender: str, subject: str, text: str = "", html: str = "") -> None:
        """Add a message to the mailbox, with a text or with HTML only."""
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = sender, "Ada <ada@example.com>", subject
        message["Date"] = "Wed, 04 Feb 2026 07:30:00 +0000"
        message["Message-ID"] = f"<{len(self.inbox) + 1}@example.com>"
        message.set_content(html or text, subtype="html" if html else "plain")
        self.inbox.append(message)

    async def serve_imap(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"* OK ready\r\n")
        while line := (await reader.readline()).decode().strip():
            tag, _, command = line.partition(" ")
            for part in (*self._imap_response(command), f"{tag} OK done".encode()):
                writer.write(part + b"\r\n")
            if command == "LOGOUT":
                break
        writer.close()

    def _imap_response(self, command: str) -> list[bytes]:
        """The untagged lines in response to a command."""
        words = command.split()
        if words[0] == "CAPABILITY":
            return [b"* CAPABILITY IMAP4rev1"]
        if words[0] == "EXAMINE":
            state = ("OK [UIDVALIDITY 7]", f"OK [UIDNEXT {len(self.inbox) + 1}]", f"{len(self.inbox)} EXISTS")
            return [f"* {line}".encode() for line in state]
        if words[:2] == ["UID", "SEARCH"]:
            return [f"* SEARCH {' '.join(map(str, self._found(command)))}".encode()]
        if words[:2] == ["UID", "FETCH"]:
            return [self._fetched(int(uid), command) for uid in words[2].split(",")]
        return [b"* BYE bye"] if words[0] == "LOGOUT" else []

    def _found(self, command: str) -> list[int]:
        term = _SUBJECT.search(command)
        word, first = term[1].lower() if term else "", int(command.split()[3].partition(":")[0])
        numbered = [(uid, str(one["Subject"]).lower()) for uid, one in enumerate(self.inbox, 1)]
        return [uid for uid, subject in numbered if uid >= first and word in subject]

    def _fetched(self, uid: int, command: str) -> bytes:
        raw = self.inbox[uid - 1].as_bytes(policy=policy.SMTP)
        if "BODY" in command:
            return f"* {uid} FETCH (UID {uid} BODY[] {{{len(raw)}}}\r\n".encode() + raw + b")"
        about = f'RFC822.SIZE {len(raw)} FLAGS () INTERNALDATE "04-Feb-2026 07:30:00 +0000"'
        return f"* {uid} FETCH (UID {uid} {about})".encode()

    async def serve_smtp(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example.com ESMTP\r\n")
        while line := (await reader.readline()).decode().strip():
            word = line.split()[0].upper()
            if word == "DATA":
                writer.write(b"354 go on\r\n")
                content = await reader.readuntil(b"\r\n.\r\n")
                self.sent.append(message_from_bytes(content[:-3], policy=policy.default))
            writer.write(b"250-mail.example.com\r\n250 AUTH PLAIN\r\n" if word == "EHLO" else _reply(word))
            if word == "QUIT":
                break
        writer.close()


def _reply(word: str) -> bytes:
    return {"AUTH": b"235 welcome\r\n", "QUIT": b"221 bye\r\n"}.get(word, b"250 OK\r\n")


@asynccontextmanager
async def mail_server() -> AsyncIterator[MailServer]:
    """The server, listening while the block runs."""
    known = MailServer()
    servers = [
        await asyncio.start_server(serve, "127.0.0.1", 0) for serve in (known.serve_imap, known.serve_smtp)
    ]
    known.imap_port, known.smtp_port = (one.sockets[0].getsockname()[1] for one in servers)
    try:
        yield known
    finally:
        for one in servers:
            one.close()
            await one.wait_closed()
