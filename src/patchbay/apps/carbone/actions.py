"""Actions."""

from patchbay.integration import OnInterrupted, request_action, text
from patchbay.integration.files import FileArgument

_TEMPLATE = FileArgument("templateData", "template")

add_template = request_action(
    key="addTemplate",
    name="Add template",
    description="Uploads a template, such as a Word document, and outputs its ID (data.templateId).",
    arguments=(
        text(
            "templateData",
            "Template",
            required=True,
            description="A file of an earlier step, or the content of a file as base64.",
        ),
    ),
    request="POST /template",
    body=lambda parameters: {"template": _TEMPLATE.one_in_base64(parameters)},
    # The same file gets the same ID.
    on_interrupted=OnInterrupted.REPEAT,
)
