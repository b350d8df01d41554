"""The list of forms: the flow's own, and those of other published flows."""

from patchbay.integration import Context, DynamicData, Option

from .form import APP_KEY, OWN_FORM, TRIGGER_KEY, title_of


async def _list_forms(ctx: Context) -> list[Option]:
    options = [Option(label="This flow's own form", value=OWN_FORM)]
    if ctx.flows is None:
        return options
    for found in await ctx.flows.published_steps(APP_KEY, TRIGGER_KEY):
        if found.flow_id != ctx.flow.id and found.parameters.get("formId") == OWN_FORM:
            title = title_of(found.parameters) or found.flow_name
            label = title if title == found.flow_name else f"{title} ({found.flow_name})"
            options.append(Option(label=label, value=found.flow_id))
    return options


list_forms = DynamicData("listForms", _list_forms)
