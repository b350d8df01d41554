"""DeepL, translations. API: version 2, with an API key of DeepL API Free or Pro."""

from patchbay.integration import App, header_key

from .actions import translate_text
from .addresses import PRO, choose_address
from .auth import auth

app = App(
    name="DeepL",
    key="deepl",
    supports_connections=True,
    base_url="https://deepl.com",
    api_base_url=PRO,
    primary_color="#0d2d45",
    description="Translate text.",
    category="Translation",
    keywords=("translate", "language"),
    auth=auth,
    before_request=[
        choose_address,
        header_key("Authorization", field="authenticationKey", prefix="DeepL-Auth-Key "),
    ],
    actions=[translate_text],
)
