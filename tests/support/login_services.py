"""Services that want more than a key: digest, tokens to log in for, and AWS signatures.

Each checks requests by its own means, without the program's code, and is an answer for `third_party`.
"""

import base64
import hashlib
import hmac
import itertools
import re
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

from tests.support.third_party import Reply, Seen

USER, PASSWORD = "ada", 'pw-"27182818"-{username}'
CLIENT_ID, CLIENT_SECRET = "client 7", "cs-/31415926+5"
ACCESS_KEY, SECRET_KEY = "AKIDPATCHBAY", "sk/16180339887+49"
REGION = "eu-central-1"


class DigestService:
    """Everything but `/open` needs digest authentication with SHA-256. A nonce works for one request."""

    def __init__(self, algorithm: str = "SHA-256", qop: str = "auth") -> None:
        self.algorithm, self.qop = algorithm, qop
        self.challenges = 0
        self._unused: set[str] = set()

    def __call__(self, request: Seen) -> Reply:
        fields = dict(re.findall(r'(\w+)="?([^",]*)"?', request.headers.get("authorization", "")))
        if request.path == "/open" or self._is_right(request, fields):
            return Reply(body={"path": request.path, "body": request.body.decode()})
        self.challenges += 1
        nonce = f"nonce-{self.challenges}"
        self._unused.add(nonce)
        challenge = f'Digest realm="shop", nonce="{nonce}", qop="{self.qop}", algorithm={self.algorithm}'
        return Reply(401, {"error": "Who are you?"}, {"WWW-Authenticate": challenge})

    def _is_right(self, request: Seen, fields: dict[str, str]) -> bool:
        if fields.get("nonce") not in self._unused or fields["uri"] != request.target:
            return False
        self._unused.discard(fields["nonce"])
        secret = _sha256(f"{USER}:shop:{PASSWORD}")
        asked = _sha256(f"{request.method}:{request.target}")
        order = (secret, fields["nonce"], fields["nc"], fields["cnonce"], fields["qop"], asked)
        return fields["username"] == USER and fields["response"] == _sha256(":".join(order))


class TokenService:
    """`/token` answers client credentials, `/login` user and password; `/me` and `/items` need a token."""

    def __init__(self, lifetime: int | None = None) -> None:
        self.lifetime = lifetime
        self.valid: set[str] = set()
        self.forms: list[Any] = []
        self._numbers = itertools.count(1)

    def __call__(self, request: Seen) -> Reply:
        if request.path == "/token":
            return self._client_token(request)
        if request.path == "/login":
            return self._login(request)
        headers = request.headers
        given = headers.get("x-session") or headers.get("authorization", "").removeprefix("Bearer ")
        if given in self.valid:
            return Reply(body={"path": request.path, "token": given})
        return Reply(401, {"error": "No token, or one that has ended."})

    def _issue(self) -> str:
        token = f"token-{next(self._numbers):08}"
        self.valid = {token}
        return token

    def _client_token(self, request: Seen) -> Reply:
        form = dict(parse_qsl(request.body.decode()))
        self.forms.append(form)
        login = (form.get("client_id"), form.get("client_secret"))
        kind, _, encoded = request.headers.get("authorization", "").partition(" ")
        if kind == "Basic":
            name, _, secret = base64.b64decode(encoded).decode().partition(":")
            login = (unquote(name), unquote(secret))
        if login != (CLIENT_ID, CLIENT_SECRET) or form.get("grant_type") != "client_credentials":
            return Reply(401, {"error": "invalid_client"})
        answer = {"access_token": self._issue(), "token_type": "Bearer", "refresh_token": "not-wanted"}
        return Reply(body=answer | ({"expires_in": self.lifetime} if self.lifetime else {}))

    def _login(self, request: Seen) -> Reply:
        is_json = request.headers.get("content-type", "").startswith("application/json")
        form = request.json if is_json else dict(parse_qsl(request.body.decode()))
        if not form:
            encoded = request.headers.get("authorization", "").removeprefix("Basic ")
            name, _, password = base64.b64decode(encoded).decode().partition(":")
            form = {"username": name, "password": password}
        self.forms.append(form)
        if (form.get("username"), form.get("password")) != (USER, PASSWORD):
            return Reply(401, {"error": "Wrong password"})
        return Reply(body={"data": {"token": self._issue()}})


def aws_service(request: Seen) -> Reply:
    """Accepts requests that `SECRET_KEY` signed for S3, however it was computed."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([\w-]+)/s3/aws4_request, "
        r"SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})",
        request.headers.get("authorization", ""),
    )
    if found and found[1] == ACCESS_KEY and found[3] == REGION and _aws_signature(request, found) == found[5]:
        return Reply(body={"path": request.path, "query": request.query})
    return Reply(403, "<Error><Message>The signature does not match.</Message></Error>")


def _aws_signature(request: Seen, found: re.Match[str]) -> str:
    date, region, names = found[2], found[3], found[4].split(";")
    body_hash = hashlib.sha256(request.body).hexdigest()
    assert {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names)
    assert request.headers["x-amz-content-sha256"] == body_hash
    path, _, query = request.target.partition("?")
    pairs = sorted(
        (quote(unquote(name), safe="~"), quote(unquote(value), safe="~"))
        for name, _, value in (part.partition("=") for part in query.split("&") if part)
    )
    canonical = f"{request.method}\n{quote(unquote(path), safe='/~')}\n"
    canonical += "&".join("=".join(pair) for pair in pairs) + "\n"
    canonical += "".join(f"{name}:{request.headers[name]}\n" for name in names)
    canonical += f"\n{';'.join(names)}\n{body_hash}"
    text = f"AWS4-HMAC-SHA256\n{request.headers['x-amz-date']}\n{date}/{region}/s3/aws4_request\n"
    key = b"AWS4" + SECRET_KEY.encode()
    for part in (date, region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    text += hashlib.sha256(canonical.encode()).hexdigest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
