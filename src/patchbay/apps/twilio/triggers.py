"""The trigger: a webhook that is entered for a phone number."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from patchbay.domain.base import Json
from patchbay.integration import Context, dropdown, list_items, next_link, segment, webhook_trigger

from .signature import store_address, verify_signature

_NUMBER = "/2010-04-01/Accounts/{auth.accountSid}/IncomingPhoneNumbers/{phoneNumberSid}.json"


def _as_delivered(message: dict[str, Any]) -> Json:
    """A message of the list with the names that Twilio uses when it delivers one."""
    return {
        "MessageSid": message.get("sid"),
        "SmsMessageSid": message.get("sid"),
        "SmsSid": message.get("sid"),
        "AccountSid": message.get("account_sid"),
        "From": message.get("from"),
        "To": message.get("to"),
        "Body": message.get("body"),
        "SmsStatus": message.get("status"),
        "NumMedia": message.get("num_media"),
        "NumSegments": message.get("num_segments"),
        "ApiVersion": message.get("api_version"),
    }


async def _received_messages(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """The messages that the chosen number has received, for the test of the trigger."""
    account = segment(ctx.auth.data.get("accountSid"))
    number_sid = segment(ctx.parameters.get("phoneNumberSid"))
    response = await ctx.http.get(f"/2010-04-01/Accounts/{account}/IncomingPhoneNumbers/{number_sid}.json")
    messages = list_items(
        "/2010-04-01/Accounts/{auth.accountSid}/Messages.json",
        query=lambda parameters: {"To": response.json()["phone_number"]},
        at="messages",
        internal_id="sid",
        item=_as_delivered,
        pages=next_link("next_page_uri"),
    )
    async for item in messages(ctx):
        yield item


_hook = webhook_trigger(
    key="receiveSms",
    name="Receive SMS",
    description="Starts when one of your numbers receives a text message.",
    arguments=[
        dropdown(
            "phoneNumberSid",
            "Number",
            source="listIncomingPhoneNumbers",
            given={"valueType": "sid"},
            required=True,
        )
    ],
    register=f"POST {_NUMBER}",
    body={"SmsUrl": "{webhookUrl}"},
    form=True,
    remote_id="sid",
    unregister=f"POST {_NUMBER}",
    unregister_body={"SmsUrl": ""},
    verify=verify_signature,
    test_items=_received_messages,
)


async def _register(ctx: Context) -> None:
    """Enter the address for the number, and store it for the signatures."""
    assert _hook.register_hook is not None
    await _hook.register_hook(ctx)
    await store_address(ctx)


receive_sms = replace(_hook, register_hook=_register)
