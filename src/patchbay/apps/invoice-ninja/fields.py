"""Arguments that several actions have."""

from patchbay.domain.base import Json
from patchbay.domain.fields import Argument
from patchbay.integration import dropdown, text

_YES_NO = (("true", "Yes"), ("false", "No"))
DATE = "Such as 2026-03-31."


def yes_no(key: str, label: str, description: str = "") -> Argument:
    """A choice of yes or no that can be left open."""
    return dropdown(key, label, _YES_NO, variables=True, description=description)


def taxes(key: str, label: str = "Tax") -> list[Argument]:
    """Rate and name of three taxes. `key` is put before the argument's own name."""
    return [
        argument
        for number in (1, 2, 3)
        for argument in (
            text(_joined(key, f"taxRate{number}"), f"{label} {number}: rate", description="Percent."),
            text(_joined(key, f"taxName{number}"), f"{label} {number}: name"),
        )
    ]


def tax_values(key: str = "") -> dict[str, Json]:
    """The part of a body with the values of `taxes`."""
    values: dict[str, Json] = {}
    for number in (1, 2, 3):
        values[f"tax_rate{number}"] = f"{{{_joined(key, f'taxRate{number}')}:number}}"
        values[f"tax_name{number}"] = f"{{{_joined(key, f'taxName{number}')}}}"
    return values


def four(key: str, label: str) -> list[Argument]:
    """Four arguments with numbered keys and labels."""
    return [text(f"{key}{number}", f"{label} {number}") for number in (1, 2, 3, 4)]


def four_values(key: str, name: str, conversion: str = "") -> dict[str, Json]:
    """The part of a body with the values of `four`, under numbered names."""
    return {f"{name}{number}": f"{{{key}{number}{conversion}}}" for number in (1, 2, 3, 4)}


def _joined(key: str, name: str) -> str:
    return key + name[0].upper() + name[1:] if key else name
