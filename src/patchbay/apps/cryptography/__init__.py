"""Cryptography: authentication codes and signatures, calculated on this computer."""

from patchbay.integration import App

from .actions import create_hmac, create_signature

app = App(
    name="Cryptography",
    key="cryptography",
    primary_color="#001F52",
    description="Create HMACs and signatures.",
    category="Built in",
    keywords=("hash", "sign", "hmac", "rsa"),
    actions=[create_hmac, create_signature],
)
