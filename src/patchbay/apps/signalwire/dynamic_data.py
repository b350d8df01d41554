"""Phone numbers, and the nodes of voice XML with their attributes, for dropdowns."""

from collections.abc import Sequence

from patchbay.integration import Context, DynamicData, Option, fixed_list, option_list
from patchbay.integration.values import text_of

from .paging import NextPage
from .voice_xml import ATTRIBUTES, CHILDREN, VALUES, VALUES_OF_NODE


def _numbers(key: str, capability: str, value: str) -> DynamicData:
    return option_list(
        key,
        "/api/laml/2010-04-01/Accounts/{auth.accountSid}/IncomingPhoneNumbers",
        at="incoming_phone_numbers",
        label="{friendly_name|phone_number}",
        value=value,
        pages=NextPage(),
        only=lambda row, parameters: (row.get("capabilities") or {}).get(capability) is not False,
    )


list_incoming_call_phone_numbers = _numbers("listIncomingCallPhoneNumbers", "voice", "{sid}")
list_incoming_sms_phone_numbers = _numbers("listIncomingSmsPhoneNumbers", "sms", "{phone_number}")

list_voice_xml_nodes = fixed_list("listVoiceXmlNodes", [(name, name) for name in ATTRIBUTES])


def _options(names: Sequence[str]) -> list[Option]:
    return [Option(label=name, value=name) for name in names]


async def load_children(ctx: Context) -> Sequence[Option]:
    """The nodes that can be inside the chosen one."""
    return _options(CHILDREN.get(text_of(ctx.parameters, "nodeName"), ()))


async def load_attributes(ctx: Context) -> Sequence[Option]:
    """The attributes of the chosen node."""
    return _options(ATTRIBUTES.get(text_of(ctx.parameters, "nodeName"), ()))


async def load_values(ctx: Context) -> Sequence[Option]:
    """The values of the chosen attribute. None for attributes that take any text."""
    name, attribute = text_of(ctx.parameters, "nodeName"), text_of(ctx.parameters, "attributeKey")
    return _options(VALUES_OF_NODE.get((name, attribute)) or VALUES.get(attribute, ()))


list_voice_xml_children_nodes = DynamicData(key="listVoiceXmlChildrenNodes", load=load_children)
list_voice_xml_node_attributes = DynamicData(key="listVoiceXmlNodeAttributes", load=load_attributes)
list_voice_xml_node_attribute_values = DynamicData(key="listVoiceXmlNodeAttributeValues", load=load_values)
