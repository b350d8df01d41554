"""Validation of names and email addresses."""

import re

from patchbay.domain.errors import ValidationFailed

MAX_NAME_LENGTH = 255
_EMAIL = re.compile(r"[^\s@<>()\[\],;:\\\"\x00-\x1f\x7f]{1,64}@[^\W_](?:[\w.-]{0,251}[^\W_])?")


def checked_name(name: str, field: str = "name") -> str:
    """Return the stripped name. Raises `ValidationFailed` unless it has 1 to 255 characters without NUL."""
    if len(name) > MAX_NAME_LENGTH:
        raise ValidationFailed({field: [f"Use at most {MAX_NAME_LENGTH} characters."]})
    name = name.strip()
    if not name:
        raise ValidationFailed({field: ["Enter a name."]})
    if "\0" in name:
        raise ValidationFailed({field: ["Remove the NUL character, which can't be displayed."]})
    return name


def checked_email(email: str, field: str = "email") -> str:
    """Return the email address, stripped and in lower case. Raises `ValidationFailed`."""
    if len(email) > MAX_NAME_LENGTH:
        raise ValidationFailed({field: [f"Use at most {MAX_NAME_LENGTH} characters."]})
    email = email.strip().lower()
    if not email:
        raise ValidationFailed({field: ["Enter an email address."]})
    if not _EMAIL.fullmatch(email) or ".." in email:
        raise ValidationFailed({field: ["Enter a valid email address, such as ada@example.org."]})
    return email
