"""Triggers: calls by a webhook that is entered for a number, and text messages by polling."""

from patchbay.integration import dropdown, list_items, polling_trigger, secret_in_query, webhook_trigger

from .paging import NextPage

_NUMBER = "/api/laml/2010-04-01/Accounts/{auth.accountSid}/IncomingPhoneNumbers/{phoneNumberSid}"

receive_call = webhook_trigger(
    key="receiveCall",
    name="Receive call",
    description="Starts when one of your numbers is called. The caller waits for “Respond with voice XML”.",
    arguments=[dropdown("phoneNumberSid", "Number", source="listIncomingCallPhoneNumbers", required=True)],
    register=f"POST {_NUMBER}",
    body={"VoiceUrl": "{webhookUrl}/sync?token={webhookSecret}"},
    form=True,
    remote_id="sid",
    unregister=f"POST {_NUMBER}",
    unregister_body={"VoiceUrl": ""},
    verify=secret_in_query("token"),
)

receive_sms = polling_trigger(
    key="receiveSms",
    name="Receive SMS",
    description="Starts when one of your numbers receives a text message.",
    arguments=[dropdown("toNumber", "Number", source="listIncomingSmsPhoneNumbers", required=True)],
    items=list_items(
        "/api/laml/2010-04-01/Accounts/{auth.accountSid}/Messages",
        query={"To": "{toNumber}"},
        at="messages",
        internal_id="sid",
        pages=NextPage(),
    ),
)
