"""Masks secrets in everything that is stored or shown: errors, responses, request lines."""

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, quote_plus

from patchbay.domain.base import Json
from patchbay.domain.fields import AuthField
from patchbay.integration.app_definition import App

MASK = "•••"
_SHORT_SECRET_LENGTH = 4
_MIN_BASE64_SEARCH_LENGTH = 6
"""Minimum bytes of a secret that is searched for inside base64 of longer text."""
_SIGN_IN_KEYS = frozenset(("code", "state", "nonce", "codeVerifier", "deviceCode", "userCode"))
"""Secret keys of a pending sign-in whose names don't suggest it."""


def secrets_of(app: App, data: Mapping[str, Json]) -> tuple[str, ...]:
    """The secret values in auth data, by field definition or by key name."""
    if not data:
        return ()
    fields = {field.key: field for field in (app.auth.fields if app.auth else ())}
    return tuple(_find_secrets(fields, data))


def _find_secrets(fields: Mapping[str, AuthField], data: Mapping[str, Json]) -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _find_secrets({}, value)
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != "":
            field = fields.get(key) or AuthField(key=key, label=key)
            if field.is_secret or key in _SIGN_IN_KEYS:
                yield str(value)


class Masker:
    """Replaces secrets in text, in all encodings in which they may appear."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets if secret.strip() for form in _encoded_forms(secret.strip())}
        self._long_forms = sorted(
            (form for form in forms if len(form) > _SHORT_SECRET_LENGTH), key=len, reverse=True
        )
        self._short_forms = sorted(
            (form for form in forms if len(form) <= _SHORT_SECRET_LENGTH), key=len, reverse=True
        )
        # As whole words only; otherwise they would mask parts of ordinary words.
        any_short_form = "|".join(map(re.escape, self._short_forms))
        self._short_pattern = re.compile(rf"(?<!\w)(?:{any_short_form})(?!\w)")

    @property
    def has_no_secrets(self) -> bool:
        """Whether there are no secrets to mask."""
        return not (self._long_forms or self._short_forms)

    def contains_secret(self, text: str) -> bool:
        """Whether the text contains a secret."""
        return any(form in text for form in self._long_forms) or (
            self._may_contain_short(text) and self._short_pattern.search(text) is not None
        )

    def text(self, text: str) -> str:
        """The text with its secrets masked."""
        # Not one regular expression of all forms: in the worst case it takes O(len(text) * len(form)).
        for form in self._long_forms:
            text = text.replace(form, MASK)
        return self._short_pattern.sub(MASK, text) if self._may_contain_short(text) else text

    def _may_contain_short(self, text: str) -> bool:
        """A quick check: 50 times faster than the pattern on long text."""
        return any(form in text for form in self._short_forms)

    def json(self, value: Json) -> Json:
        """The value with its secrets masked in strings and keys."""
        if self.has_no_secrets:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.json(item) for key, item in value.items()}
        if (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and self.contains_secret(str(value))
        ):
            return MASK
        return value


NO_SECRETS = Masker(())
"""The masker of calls without secrets, which are most."""


def mask_error(error: Exception, masker: Masker) -> None:
    """Mask secrets in an error's message and attributes."""
    for name, value in vars(error).items():
        if isinstance(value, (str, list, dict)):
            setattr(error, name, masker.json(value))
    error.args = tuple(masker.text(part) if isinstance(part, str) else part for part in error.args)


def _encoded_forms(secret: str) -> set[str]:
    """A secret as it appears in text, URLs, JSON, HTML, and base64."""
    raw = secret.encode()
    return {
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        html.escape(secret),
        html.escape(secret, quote=False),
        html.escape(secret).replace("&#x27;", "&#39;"),
        b64encode(raw).decode(),
        *_base64_fragments(raw),
    }


def _base64_fragments(raw: bytes) -> Iterator[str]:
    """The base64 fragments that appear wherever the secret is encoded together with other text."""
    if len(raw) < _MIN_BASE64_SEARCH_LENGTH:
        return
    for before in range(3):
        first, last = -(-before * 8 // 6), (before + len(raw)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(bytes(before) + raw)[first:last].decode()
