"""Inputs that several actions have."""

from patchbay.domain.base import Json
from patchbay.domain.fields import Argument
from patchbay.integration import dropdown, text

NO_YES = (("false", "No"), ("true", "Yes"))
CLIENT = dropdown("clientId", "Client", source="listClients", required=True, variables=True)


def numbered(key: str, label: str, count: int) -> tuple[Argument, ...]:
    """Inputs such as `customValue1` to `customValue4`."""
    return tuple(text(f"{key}{number}", f"{label} {number}") for number in range(1, count + 1))


def taxes(prefix: str = "", label: str = "") -> tuple[Argument, ...]:
    """Rate and name of three taxes: `taxRate1`, or with a prefix `lineItemTaxRate1`."""
    rate, name = ("TaxRate", "TaxName") if prefix else ("taxRate", "taxName")
    return tuple(
        argument
        for number in (1, 2, 3)
        for argument in (
            text(f"{prefix}{rate}{number}", f"{label}Tax {number}: rate", description="In percent."),
            text(f"{prefix}{name}{number}", f"{label}Tax {number}: name"),
        )
    )


def tax_values(prefix: str = "") -> dict[str, Json]:
    """The taxes as Invoice Ninja expects them."""
    rate, name = ("TaxRate", "TaxName") if prefix else ("taxRate", "taxName")
    values: dict[str, Json] = {}
    for number in (1, 2, 3):
        values[f"tax_rate{number}"] = f"{{{prefix}{rate}{number}:number}}"
        values[f"tax_name{number}"] = f"{{{prefix}{name}{number}}}"
    return values


def numbered_values(name: str, key: str, count: int, conversion: str = "") -> dict[str, Json]:
    """Numbered inputs as Invoice Ninja expects them, such as `custom_value1`."""
    return {f"{name}{number}": f"{{{key}{number}{conversion}}}" for number in range(1, count + 1)}
