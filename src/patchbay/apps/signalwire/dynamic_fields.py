"""The nodes inside a node."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields, dropdown, rows, text
from patchbay.integration.values import as_bool

_OUTER = {"nodeName": "{outerScope.nodeName}"}


async def load(ctx: Context) -> Sequence[Argument]:
    """Rows for the nodes inside. Nothing for a node without any."""
    if not as_bool(ctx.parameters.get("hasChildrenNodes")):
        return []
    attributes = rows(
        "attributes",
        "Attributes",
        (
            dropdown("key", "Attribute", source="listVoiceXmlNodeAttributes", given=_OUTER, variables=True),
            dropdown(
                "value",
                "Value",
                source="listVoiceXmlNodeAttributeValues",
                given={**_OUTER, "attributeKey": "{fieldsScope.key}"},
                variables=True,
            ),
        ),
        add="Add attribute",
    )
    name = dropdown(
        "nodeName",
        "Node",
        source="listVoiceXmlChildrenNodes",
        given={"nodeName": "{parameters.nodeName}"},
        variables=True,
        required=True,
    )
    inside = (name, text("nodeValue", "Content"), attributes)
    return [rows("childrenNodes", "Nodes inside", inside, add="Add node")]


list_node_fields = DynamicFields(key="listNodeFields", load=load)
