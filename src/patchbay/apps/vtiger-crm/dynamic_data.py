"""Records and options of fields for dropdowns."""

from contextlib import aclosing
from itertools import islice

from patchbay.integration import Context, DynamicData, Option
from patchbay.integration.builders import MAX_OPTIONS
from patchbay.integration.templates import fill_text

from .records import read_records
from .session import call


def _records(key: str, module: str, label: str) -> DynamicData:
    """The records of a module, by label."""

    async def load(ctx: Context) -> list[Option]:
        async with aclosing(read_records(ctx, module)) as found:
            options: list[Option] = []
            async for record in found:
                name, value = fill_text(label, record).strip(), str(record["id"])
                options.append(Option(label=name or value, value=value))
                if len(options) >= MAX_OPTIONS:
                    break
        return sorted(options, key=lambda option: option.label.casefold())

    return DynamicData(key=key, load=load)


def _choices(key: str, module: str) -> DynamicData:
    """The options of the field of a module that a parameter names."""

    async def load(ctx: Context) -> list[Option]:
        wanted = {str(value) for value in ctx.parameters.values()}
        described = await call(ctx, "GET", "describe", elementType=module)
        choices = (
            Option(label=option["label"], value=option["value"])
            for field in described["result"]["fields"]
            if field["name"] in wanted
            for option in field["type"].get("picklistValues") or ()
        )
        return list(islice(choices, MAX_OPTIONS))

    return DynamicData(key=key, load=load)


LISTS = [
    _records("listAssets", "Assets", "{assetname}"),
    _records("listCampaignSources", "Campaigns", "{campaignname}"),
    _records("listContacts", "Contacts", "{firstname} {lastname}"),
    _records("listGroups", "Groups", "{groupname}"),
    _records("listMilestones", "ProjectMilestone", "{projectmilestonename}"),
    _records("listOrganizations", "Accounts", "{accountname}"),
    _records("listProducts", "Products", "{productname}"),
    _records("listProjects", "Project", "{projectname}"),
    _records("listRecordCurrencies", "Currency", "{currency_name} {currency_code}"),
    _records("listServiceContracts", "ServiceContracts", "{subject}"),
    _records("listServices", "Services", "{servicename}"),
    _records("listSlaNames", "SLA", "{policy_name|slaname|name}"),
    _records("listTasks", "Calendar", "{subject}"),
    _choices("listCaseOptions", "Cases"),
    _choices("listContactOptions", "Contacts"),
    _choices("listLeadOptions", "Leads"),
    _choices("listOpportunityOptions", "Potentials"),
    _choices("listTodoOptions", "Calendar"),
]
