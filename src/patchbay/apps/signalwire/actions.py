"""Actions."""

from patchbay.domain.base import Json
from patchbay.integration import (
    YES_NO,
    Action,
    Context,
    OnInterrupted,
    dropdown,
    request_action,
    rows,
    text,
)
from patchbay.integration.values import as_bool, as_text, text_of

from . import voice_xml


def _rows(value: Json) -> list[dict[str, Json]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


async def _add_node(ctx: Context) -> None:
    """Write the node with the nodes inside it."""
    parameters = ctx.parameters
    has_children = as_bool(parameters.get("hasChildrenNodes"))
    children = [
        voice_xml.node(text_of(row, "nodeName"), text_of(row, "nodeValue"), row.get("attributes"))
        for row in _rows(parameters.get("childrenNodes"))
        if has_children and text_of(row, "nodeName")
    ]
    name, value = text_of(parameters, "nodeName"), text_of(parameters, "nodeValue")
    ctx.set_action_item({"stringNode": voice_xml.node(name, value, parameters.get("attributes"), children)})


add_voice_xml_node = Action(
    key="addVoiceXmlNode",
    name="Add voice XML node",
    description="Writes one instruction for a call, such as Say or Dial, for “Respond with voice XML”.",
    supports_connections=False,
    arguments=(
        dropdown("nodeName", "Node", source="listVoiceXmlNodes", required=True, variables=True),
        text("nodeValue", "Content", description="For Say the text, for Play and Redirect an address."),
        rows(
            "attributes",
            "Attributes",
            (
                dropdown(
                    "key",
                    "Attribute",
                    source="listVoiceXmlNodeAttributes",
                    given={"nodeName": "{parameters.nodeName}"},
                    variables=True,
                ),
                dropdown(
                    "value",
                    "Value",
                    source="listVoiceXmlNodeAttributeValues",
                    given={"nodeName": "{parameters.nodeName}", "attributeKey": "{fieldsScope.key}"},
                    variables=True,
                ),
            ),
            value=[{"key": "", "value": ""}],
            add="Add attribute",
        ),
        dropdown(
            "hasChildrenNodes",
            "Nodes inside",
            YES_NO,
            required=True,
            value=False,
            more_fields="listNodeFields",
            description="Yes for Dial, Gather, and Connect, which contain others.",
        ),
    ),
    run=_add_node,
    on_interrupted=OnInterrupted.REPEAT,
)


async def _respond(ctx: Context) -> None:
    """Respond to SignalWire's request with the instructions of the call."""
    body = voice_xml.response(
        as_text(row.get("nodeString")).strip() for row in _rows(ctx.parameters.get("nodes"))
    )
    headers = {"content-type": "text/xml"}
    ctx.respond(200, headers, body)
    ctx.set_action_item({"body": body, "statusCode": 200, "headers": dict(headers)})


respond_with_voice_xml = Action(
    key="respondWithVoiceXml",
    name="Respond with voice XML",
    description="Responds to the call that started the flow with instructions, in the order of the nodes.",
    supports_connections=False,
    arguments=(
        rows(
            "nodes",
            "Nodes",
            (
                text(
                    "nodeString",
                    "Node",
                    required=True,
                    description="The output stringNode of an “Add voice XML node” step.",
                ),
            ),
            value=[{"nodeString": ""}],
            add="Add node",
        ),
    ),
    run=_respond,
    on_interrupted=OnInterrupted.REPEAT,
)

send_sms = request_action(
    key="sendSms",
    name="Send SMS",
    description="Sends a text message from one of your numbers.",
    arguments=(
        dropdown("fromNumber", "From", source="listIncomingSmsPhoneNumbers", required=True, variables=True),
        text("toNumber", "To", required=True, placeholder="+15551234567", description="With country code."),
        text("message", "Message", required=True, multiline=True),
    ),
    request="POST /api/laml/2010-04-01/Accounts/{auth.accountSid}/Messages",
    body={"Body": "{message:text}", "From": "{fromNumber:text}", "To": "{toNumber:text}"},
    form=True,
)
