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
        context.load_cert_chain(certificate, key, password=_reject_passphrase)
    except _KeyNeedsPassphrase:
        raise _tls_error(
            key or certificate, "is locked with a passphrase",
            "Nobody is there to enter it when the service starts by itself.",
            "Save the key without a passphrase (openssl pkey -in KEY -out NEW), readable for this user only.",
        ) from None  # fmt: skip
    except ssl.SSLError as error:
        raise _certificate_error(certificate, key, error) from error
    except OSError as error:
        raise _file_error(certificate, key, error) from error
    return context


class _KeyNeedsPassphrase(Exception):
    """The key asks for a passphrase."""


def _reject_passphrase() -> str:
    raise _KeyNeedsPassphrase


def _certificate_error(certificate: Path, key: Path | None, error: ssl.SSLError) -> AppError:
    if error.reason == "KEY_VALUES_MISMATCH":
        return _tls_error(
            key or certificate, f"does not belong to the certificate {certificate}",
            "The key and the certificate were not made together.", "Give the key of this certificate.",
        )  # fmt: skip
    return _tls_error(
        certificate, "cannot be used for TLS" + (f" together with {key}" if key else ""),
        "It is not a certificate in PEM form, or holds no private key.",
        "Give the chain as PEM with --tls-cert (own certificate first) and its key with --tls-key.",
    )  # fmt: skip


def _file_error(certificate: Path, key: Path | None, error: OSError) -> AppError:
    missing = [path for path in (certificate, key) if path is not None and not path.is_file()]
    message = "is not there" if missing else f"cannot be read: {error.strerror}"
    return _tls_error(
        missing[0] if missing else certificate, message, "Without it nothing can be encrypted.",
        "Check the path, and that this user may read the file.",
    )  # fmt: skip


def _tls_error(path: Path, message: str, meaning: str, todo: str) -> ValidationFailed:
    happened = f"The file {path} {message}."
    return ValidationFailed({"tls": [happened]}, happened=happened, meaning=meaning, todo=todo)
