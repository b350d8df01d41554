"""Which authorities are trusted when connecting to a server: the system's, and one of a file."""

import os
import ssl
from pathlib import Path

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.remote_options import RemoteOptions


def create_tls_context(options: RemoteOptions) -> ssl.SSLContext:
    """Believes the authorities of the system and those of the CA file. Reads files, so not on the loop.

    Raises `ValidationFailed` when the CA file cannot be used.
    """
    context = ssl.create_default_context()
    if not os.environ.get("SSL_CERT_FILE"):
        import certifi  # for systems that keep no list where OpenSSL looks for it

        context.load_verify_locations(certifi.where())
    if options.ca_file:
        _load_ca_file(context, options.ca_file)
    return context


def _load_ca_file(context: ssl.SSLContext, ca_file: str) -> None:
    path = Path(ca_file).expanduser()
    try:
        content = path.read_bytes()
        context.load_verify_locations(cadata=content.decode("ascii") if b"-----BEGIN" in content else content)
    except (OSError, ValueError) as error:  # also ssl.SSLError
        problem = "is not there" if isinstance(error, FileNotFoundError) else "holds no certificate"
        raise ValidationFailed(
            {"caFile": [f"The file {problem}."]},
            happened=f"The file {path.name} with the certificate of the authority {problem}.",
            meaning="Without it the service cannot be believed, so nothing was sent.",
            todo="Choose the file your administrator gave you, usually named .pem or .crt.",
        ) from error
