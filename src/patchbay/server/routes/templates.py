"""Templates: flows to start from."""

import asyncio

from starlette.responses import Response

from patchbay.domain.folders import Template
from patchbay.server.authentication import RequestBackend
from patchbay.server.request_models import NewTemplate
from patchbay.server.request_parameters import TemplatePath
from patchbay.server.responses import Many, One, describe_responses, many, no_content, one
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/templates", tags=["templates"])


@router.get("", responses=describe_responses(Many[Template]))
async def list_templates(backend: RequestBackend) -> Response:
    """List all templates: built-in ones, then the others, oldest first.

    Long parameters are shortened: texts to 200 characters if they exceed 16 KB in total.
    """
    return await asyncio.to_thread(many, await backend.list_templates())


@router.post(
    "", status_code=201, responses=describe_responses(One[Template], 201, not_found=True, invalid=True)
)
async def create_template(backend: RequestBackend, body: NewTemplate) -> Response:
    """Create a template from a flow."""
    return one(await backend.create_template(body.name, body.flow_id), 201)


@router.get("/{templateId}", responses=describe_responses(One[Template], not_found=True))
async def get_template(backend: RequestBackend, template_id: TemplatePath) -> Response:
    """Get a template with its flow."""
    return await asyncio.to_thread(one, await backend.get_template(template_id))


@router.delete("/{templateId}", status_code=204, responses=describe_responses(None, 204, not_found=True))
async def delete_template(backend: RequestBackend, template_id: TemplatePath) -> Response:
    """Delete a template, also one of others; flows created from it stay. Built-in ones can't be deleted."""
    await backend.delete_template(template_id)
    return no_content()
