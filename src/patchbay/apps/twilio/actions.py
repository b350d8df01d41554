"""Actions."""

from patchbay.integration import dropdown, request_action, text

send_sms = request_action(
    key="sendSms",
    name="Send SMS",
    description="Sends a text message from one of your numbers.",
    arguments=(
        dropdown("fromNumber", "From", source="listIncomingPhoneNumbers", required=True, variables=True),
        text("toNumber", "To", required=True, placeholder="+15551234567", description="With country code."),
        text("message", "Message", required=True, multiline=True),
    ),
    request="POST /2010-04-01/Accounts/{auth.accountSid}/Messages.json",
    body={"Body": "{message:text}", "From": "{fromNumber:text}", "To": "{toNumber:text}"},
    form=True,
)
