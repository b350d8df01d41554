"""Requests, as bytes on the wire, whose bodies are split into chunks that cost more than they carry."""

TARGETS = ("/x", "/v1/flows", "/webhooks/flows/00000000-0000-4000-8000-000000000000")
"""No address, one that needs a key, and a webhook of no flow: each is open to strangers."""


def chunked(target: str, chunk: bytes, number: int, *headers: str) -> bytes:
    """A request whose body is this chunk so many times."""
    head = (f"POST {target} HTTP/1.1", "Host: 127.0.0.1", "Transfer-Encoding: chunked", *headers, "", "")
    return "\r\n".join(head).encode() + b"%x\r\n%s\r\n" % (len(chunk), chunk) * number + b"0\r\n\r\n"


TINY_CHUNKS: dict[str, bytes] = {
    f"tiny chunks for {target}": chunked(target, b" ", 900_000) for target in TARGETS
}
