"""Private keys in a form: those that would take too long to read are rejected before."""

from base64 import b64encode

import pytest
from tests.support.certificates import write_certificates

from patchbay.domain.certificates import normalize_pem
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import CLIENT_CERTIFICATE, CLIENT_KEY
from patchbay.integration.client_certificates import normalize_client_certificate

PBES2, PBKDF2, SCRYPT = "2a864886f70d01050d", "2a864886f70d01050c", "2b06010401da47040b"


def value(tag, *parts):
    content = b"".join(parts)
    size = len(content).to_bytes(2)
    return bytes([tag, 0x82]) + size + content if len(content) > 127 else bytes([tag, size[1]]) + content


def encrypted_key(derivation, *numbers):
    """An encrypted key (RFC 8018) whose passphrase is derived with these numbers."""
    integers = (value(2, number.to_bytes(number.bit_length() // 8 + 1)) for number in numbers)
    parameters = value(0x30, value(4, b"saltsalt"), *integers)
    function = value(0x30, value(6, bytes.fromhex(derivation)), parameters)
    scheme = value(0x30, value(6, bytes.fromhex("60864801650304012a")), value(4, bytes(16)))
    algorithm = value(0x30, value(6, bytes.fromhex(PBES2)), value(0x30, function, scheme))
    text = b64encode(value(0x30, algorithm, value(4, bytes(64)))).decode()
    return f"-----BEGIN ENCRYPTED PRIVATE KEY-----\n{text}\n-----END ENCRYPTED PRIVATE KEY-----\n"


def problem_of(certificate, key):
    entered = {
        "clientTls": "certificate",
        "clientKeyPassphrase": "abc",
        CLIENT_CERTIFICATE: certificate,
        CLIENT_KEY: key,
    }
    with pytest.raises(ValidationFailed) as caught:
        normalize_client_certificate(entered)
    return caught.value.text()


@pytest.mark.parametrize(
    ("key", "is_slow"),
    [
        (encrypted_key(PBKDF2, 2**31 - 1), True),
        (encrypted_key(SCRYPT, 2**16, 64, 1), True),
        (encrypted_key(PBKDF2, 2048), False),
        (encrypted_key(SCRYPT, 2**14, 8, 1), False),
        (f"-----BEGIN PRIVATE KEY-----\n{'A' * 9000}\n-----END PRIVATE KEY-----", True),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----", False),
    ],
)
def test_keys_that_take_long_to_read_are_rejected(tmp_path, key, is_slow):
    write_certificates(tmp_path)

    problem = problem_of((tmp_path / "client.pem").read_text(), key)

    assert ("would take too long" in problem) is is_slow


def test_many_beginnings_of_keys_and_certificates_are_rejected_at_once(tmp_path):
    write_certificates(tmp_path)
    beginnings = "-----BEGIN CERTIFICATE-----" * 40_000

    problem_of((tmp_path / "client.pem").read_text(), "-----BEGIN PRIVATE KEY-----" * 40_000)
    problem_of(beginnings, "-----BEGIN PRIVATE KEY-----AA-----END PRIVATE KEY-----")
    with pytest.raises(ValueError, match="no certificate"):
        normalize_pem(beginnings)
