"""Dropdown lists."""

from patchbay.integration import Context, DynamicData, Option

from .tokens import get_as_client


async def load(ctx: Context) -> list[Option]:
    """The applications of the client's user, by name."""
    found = (await get_as_client(ctx, "/application")).json()
    options = [Option(label=str(row["name"]), value=row["id"]) for row in found]
    return sorted(options, key=lambda option: option.label.casefold())


list_applications = DynamicData(key="listApplications", load=load)
