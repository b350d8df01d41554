"""A certificate authority of our own, for servers on this computer."""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

CLIENT_NAME = "Ada's computer"


def write_certificates(folder: Path) -> None:
    """`authority.pem`, and signed by it `server.pem` for 127.0.0.1 and `client.pem`, each with its key."""
    authority_key, server_key, client_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    authority = _name("Tests of Patchbay")
    ca = (
        _certificate(authority, authority, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    server = (
        _certificate(_name("127.0.0.1"), authority, server_key)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(issuer, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    client = (
        _certificate(_name(CLIENT_NAME), authority, client_key)
        .add_extension(issuer, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "authority.pem").write_bytes(ca.public_bytes(pem))
    (folder / "server.pem").write_bytes(server.public_bytes(pem))
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    (folder / "server.key").write_bytes(server_key.private_bytes(pem, form, plain))
    (folder / "client.pem").write_bytes(client.public_bytes(pem))
    (folder / "client.key").write_bytes(client_key.private_bytes(pem, form, plain))


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def write_self_signed(folder: Path, name: str) -> None:
    """`<name>.pem` with `<name>.key`: for a host of that name, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name(name)
    own = (
        _certificate(subject, subject, key)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / f"{name}.pem").write_bytes(own.public_bytes(pem))
    (folder / f"{name}.key").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))


def authority(name: str) -> str:
    """The certificate of an authority, in PEM form."""
    key = ec.generate_private_key(ec.SECP256R1())
    own = _certificate(_name(name), _name(name), key).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    return own.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def sha256_of(file: Path) -> str:
    """The fingerprint of the certificate in a file, as people compare it: `AB:CD:…`."""
    return x509.load_pem_x509_certificate(file.read_bytes()).fingerprint(hashes.SHA256()).hex(":").upper()
