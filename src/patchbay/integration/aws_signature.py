"""AWS Signature Version 4: signs requests to AWS and to services that are compatible with it.

Written out here, because the algorithm is short and public, and AWS's own library for it (botocore) would be
the largest dependency of the program. The tests use the examples of AWS's documentation.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import quote, unquote_to_bytes, urlsplit

from patchbay.domain.base import EpochMs

_ALGORITHM = "AWS4-HMAC-SHA256"
_UNRESERVED = "-_.~"
_SIGNED_HEADERS = frozenset({"host", "date", "range", "content-type", "content-md5"})
"""Besides all that begin with `x-amz-`. Proxies may change others, which would break the signature."""


@dataclass(frozen=True)
class AwsKey:
    """An access key, with the region and the service it signs for, such as `us-east-1` and `s3`."""

    access_key_id: str
    secret: str = field(repr=False)
    region: str
    service: str
    session_token: str = field(default="", repr=False)

    def sign(
        self, now: EpochMs, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> dict[str, str]:
        """The headers to add to a request, `headers` being the others that are sent, with `host`."""
        time = datetime.fromtimestamp(now / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
        body_hash = sha256(body).hexdigest()
        added = {"x-amz-date": time}
        if self.service == "s3":
            added["x-amz-content-sha256"] = body_hash
        if self.session_token:
            added["x-amz-security-token"] = self.session_token
        signed = _signed_headers({**headers, **added})
        names = ";".join(signed)
        request = "\n".join(
            (
                method,
                self._canonical_path(url),
                _canonical_query(url),
                *(f"{name}:{value}" for name, value in signed.items()),
                "",
                names,
                body_hash,
            )
        )
        scope = f"{time[:8]}/{self.region}/{self.service}/aws4_request"
        to_sign = "\n".join((_ALGORITHM, time, scope, sha256(request.encode()).hexdigest()))
        signature = _hmac(self._signing_key(time[:8]), to_sign).hex()
        credential = f"Credential={self.access_key_id}/{scope}"
        added["authorization"] = f"{_ALGORITHM} {credential}, SignedHeaders={names}, Signature={signature}"
        return added

    def _canonical_path(self, url: str) -> str:
        """S3 encodes the path once, all other services encode it twice."""
        path = urlsplit(url).path or "/"
        return _encode(path, "/") if self.service == "s3" else quote(path, safe=f"/{_UNRESERVED}")

    def _signing_key(self, date: str) -> bytes:
        key = f"AWS4{self.secret}".encode()
        for part in (date, self.region, self.service, "aws4_request"):
            key = _hmac(key, part)
        return key


def _signed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers to sign by their lower-case names, sorted, with single spaces in their values."""
    lower = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
    return {
        name: lower[name] for name in sorted(lower) if name in _SIGNED_HEADERS or name.startswith("x-amz-")
    }


def _canonical_query(url: str) -> str:
    pairs = (part.partition("=")[::2] for part in urlsplit(url).query.split("&") if part)
    return "&".join(
        f"{name}={value}" for name, value in sorted((_encode(name), _encode(value)) for name, value in pairs)
    )


def _encode(text: str, safe: str = "") -> str:
    """Percent-encode a part of a URL the way AWS does, whether it is encoded already or not."""
    return quote(unquote_to_bytes(text), safe=safe + _UNRESERVED)


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
