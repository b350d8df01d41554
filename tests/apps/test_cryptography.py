"""Cryptography: authentication codes and signatures."""

import base64
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from tests.support.app_calls import built_in_action, context

from patchbay.domain.errors import ValidationFailed

RFC_4231_CASE_2 = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(key: Any = KEY, encryption: KeySerializationEncryption | None = None) -> str:
    content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())
    return content.decode()


async def run(action: str, **parameters: str) -> Any:
    algorithm = "sha256" if action == "createHmac" else "RSA-SHA256"
    ctx = context("cryptography", {"algorithm": algorithm, "outputEncoding": "hex", **parameters})
    await built_in_action("cryptography", action).run(ctx)
    return ctx.action_output


async def test_an_hmac_is_that_of_rfc_4231():
    output = await run("createHmac", message="what do ya want for nothing?", secretKey="Jefe")

    assert output == {"hash": RFC_4231_CASE_2}


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("base64", base64.b64encode(bytes.fromhex(RFC_4231_CASE_2)).decode()),
        ("base64url", base64.urlsafe_b64encode(bytes.fromhex(RFC_4231_CASE_2)).decode().rstrip("=")),
    ],
)
async def test_the_output_has_the_chosen_encoding(encoding: str, expected: str):
    output = await run(
        "createHmac", message="what do ya want for nothing?", secretKey="Jefe", outputEncoding=encoding
    )

    assert output == {"hash": expected}


@pytest.mark.parametrize("entered", [pem(), pem().replace("\n", "\\n"), f"\n  {pem()}\n"])
async def test_a_signature_is_verified_with_the_public_key(entered: str):
    output = await run("createSignature", message="Grüße", privateKey=entered)

    signature = bytes.fromhex(output["signature"])
    assert len(signature) == KEY.key_size // 8
    KEY.public_key().verify(signature, "Grüße".encode(), PKCS1v15(), SHA256())  # raises for a wrong one


@pytest.mark.parametrize(
    ("entered", "words"),
    [
        ("no key", "Couldn't read"),
        (pem().replace("MII", "MIJ"), "Couldn't read"),
        (pem(ec.generate_private_key(ec.SECP256R1())), "isn't an RSA key"),
        (pem(encryption=BestAvailableEncryption(b"secret")), "password"),
        (pem() * 5, "too long"),
    ],
)
async def test_a_key_that_cannot_be_used_is_explained_without_showing_it(entered: str, words: str):
    with pytest.raises(ValidationFailed, match=words) as caught:
        await run("createSignature", message="x", privateKey=entered)

    said = f"{caught.value.text()} {vars(caught.value)}"
    assert [line for line in entered.split("\n") if line and not line.startswith("--") and line in said] == []


@pytest.mark.parametrize(
    ("action", "parameters", "field"),
    [
        ("createHmac", {"message": "x", "secretKey": ""}, "secretKey"),
        ("createHmac", {"message": "x", "secretKey": "k", "algorithm": "md5"}, "algorithm"),
        ("createHmac", {"message": "x", "secretKey": "k", "outputEncoding": "rot13"}, "outputEncoding"),
        ("createSignature", {"message": "x", "privateKey": pem(), "algorithm": "RSA-MD5"}, "algorithm"),
    ],
)
async def test_values_that_are_not_supported_are_reported(
    action: str, parameters: dict[str, str], field: str
):
    with pytest.raises(ValidationFailed) as caught:
        await run(action, **parameters)

    assert [*caught.value.by_field] == [field]
