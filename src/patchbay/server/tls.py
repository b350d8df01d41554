"""The certificate of the service."""

import ssl
from pathlib import Path

from patchbay.domain.errors import AppError, ValidationFailed


def tls_context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """TLS 1.2 and newer with this certificate; without `key`, the key is in the same file.

    Raises `ValidationFailed` in words for files that cannot be read or do not fit each other.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except _Locked:
        raise _refused(
            key or certificate, "is locked with a passphrase",
            "Nobody is there to enter it when the service starts by itself.",
            "Save the key without a passphrase (openssl pkey -in KEY -out NEW), readable for this user only.",
        ) from None  # fmt: skip
    except ssl.SSLError as error:
        raise _unfit(certificate, key, error) from error
    except OSError as error:
        raise _unreadable(certificate, key, error) from error
    return context


class _Locked(Exception):
    """The key asks for a passphrase."""


def _no_password() -> str:
    raise _Locked


def _unfit(certificate: Path, key: Path | None, error: ssl.SSLError) -> AppError:
    if error.reason == "KEY_VALUES_MISMATCH":
        return _refused(
            key or certificate, f"does not belong to the certificate {certificate}",
            "The key and the certificate were not made together.", "Give the key of this certificate.",
        )  # fmt: skip
    return _refused(
        certificate, "cannot be used for TLS" + (f" together with {key}" if key else ""),
        "It is not a certificate in PEM form, or holds no private key.",
        "Give the chain as PEM with --tls-cert (own certificate first) and its key with --tls-key.",
    )  # fmt: skip


def _unreadable(certificate: Path, key: Path | None, error: OSError) -> AppError:
    missing = [path for path in (certificate, key) if path is not None and not path.is_file()]
    words = "is not there" if missing else f"cannot be read: {error.strerror}"
    return _refused(
        missing[0] if missing else certificate, words, "Without it nothing can be encrypted.",
        "Check the path, and that this user may read the file.",
    )  # fmt: skip


def _refused(path: Path, words: str, meaning: str, todo: str) -> ValidationFailed:
    happened = f"The file {path} {words}."
    return ValidationFailed({"tls": [happened]}, happened=happened, meaning=meaning, todo=todo)
