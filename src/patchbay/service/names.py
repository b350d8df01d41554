"""The rule for names that people give."""

from patchbay.domain.errors import ValidationFailed

LONGEST_NAME = 255


def checked_name(name: str, field: str = "name") -> str:
    """The name without outer spaces: 1 to 255 characters."""
    name = name.strip()
    if not name:
        raise ValidationFailed({field: ["Enter a name."]})
    if len(name) > LONGEST_NAME:
        raise ValidationFailed({field: [f"Use at most {LONGEST_NAME} characters."]})
    return name
