"""Phone numbers. The library is imported on first use."""

import re

from patchbay.integration.values import parameter_error

FORMATS = {
    "e164": "+14155552671",
    "international": "+1 415 555 2671",
    "national": "(415) 555-2671",
    "rfc3966": "tel:+1-415-555-2671",
}
_SEPARATORS = re.compile(r"[\s()\-./~]+")


def format_phone_number(text: str, to_format: str, country: str) -> str:
    """Convert a number to another format. Without a leading +, it belongs to `country` (two letters)."""
    import phonenumbers

    styles = {
        "e164": phonenumbers.PhoneNumberFormat.E164,
        "international": phonenumbers.PhoneNumberFormat.INTERNATIONAL,
        "national": phonenumbers.PhoneNumberFormat.NATIONAL,
        "rfc3966": phonenumbers.PhoneNumberFormat.RFC3966,
    }
    if to_format not in styles:
        raise parameter_error("toFormat", "Choose a format.")
    try:
        number = phonenumbers.parse(text[:100], country.strip().upper() or None)
    except phonenumbers.NumberParseException:
        raise parameter_error("phoneNumber", f"“{text[:60]}” isn't a phone number.") from None
    if not phonenumbers.is_possible_number(number):
        raise parameter_error(
            "phoneNumber", f"“{text[:60]}” isn't a valid phone number in {country or 'any country'}."
        )
    formatted = str(phonenumbers.format_number(number, styles[to_format]))
    if to_format != "international":
        return formatted
    number_part, extension, digits = formatted.partition(" ext. ")
    return _SEPARATORS.sub(" ", number_part).strip() + extension + digits


def countries() -> list[str]:
    """All countries with phone numbers, by two-letter code."""
    from phonenumbers import SUPPORTED_REGIONS

    return sorted(SUPPORTED_REGIONS)
