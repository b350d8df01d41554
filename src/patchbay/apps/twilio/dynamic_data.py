"""Phone numbers for dropdowns."""

from collections.abc import Sequence

from patchbay.integration import Context, DynamicData, Option, next_link, option_list


def _numbers(value: str) -> DynamicData:
    return option_list(
        "listIncomingPhoneNumbers",
        "/2010-04-01/Accounts/{auth.accountSid}/IncomingPhoneNumbers.json",
        query={"Page": 0, "PageSize": 100},
        at="incoming_phone_numbers",
        label="{friendly_name|phone_number}",
        value=value,
        pages=next_link("next_page_uri"),
    )


_BY_SID, _BY_NUMBER = _numbers("{sid}"), _numbers("{phone_number}")


async def load(ctx: Context) -> Sequence[Option]:
    """The account's numbers: their SIDs for the trigger, the numbers themselves for the action."""
    is_sid = ctx.parameters.get("valueType") == "sid"
    return await (_BY_SID if is_sid else _BY_NUMBER).load(ctx)


list_incoming_phone_numbers = DynamicData(key="listIncomingPhoneNumbers", load=load)
