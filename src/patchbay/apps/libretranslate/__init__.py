"""LibreTranslate, translations, hosted or on your own server. API: version 1, with an API key if needed."""

from patchbay.integration import App, body_key, own_instance

from .actions import detect_language, translate_text
from .auth import auth
from .dynamic_data import list_languages

app = App(
    name="LibreTranslate",
    key="libretranslate",
    supports_connections=True,
    base_url="https://libretranslate.com",
    api_base_url="https://libretranslate.com",
    primary_color="#ffffff",
    description="Translate text, and detect its language.",
    category="Translation",
    keywords=("translate", "language"),
    auth=auth,
    before_request=[own_instance(), body_key("api_key")],
    actions=[detect_language, translate_text],
    dynamic_data=[list_languages],
)
