"""Templates: flows to start from."""

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.folders import Template
from patchbay.server.authentication import RequestBackend
from patchbay.server.request_models import NewTemplate
from patchbay.server.request_parameters import TemplatePath
from patchbay.server.responses import Many, One, describe_responses, many, no_content, one

router = APIRouter(prefix="/templates", tags=["templates"])


@router.get("", responses=describe_responses(Many[Template]))
async def list_templates(backend: RequestBackend) -> Response:
    """All templates, oldest first.

    Long parameters are cut: texts to 200 characters where they take more than 16 KB in all.
    """
    return await asyncio.to_thread(many, await backend.list_templates())


@router.post(
    "", status_code=201, responses=describe_responses(One[Template], 201, not_found=True, invalid=True)
)
async def create_template(backend: RequestBackend, body: NewTemplate) -> Response:
    """Keep a flow as a template."""
    return one(await backend.create_template(body.name, body.flow_id), 201)


@router.get("/{templateId}", responses=describe_responses(One[Template], not_found=True))
async def get_template(backend: RequestBackend, template_id: TemplatePath) -> Response:
    """One template with the flow it holds."""
    return await asyncio.to_thread(one, await backend.get_template(template_id))


@router.delete("/{templateId}", status_code=204, responses=describe_responses(None, 204, not_found=True))
async def delete_template(backend: RequestBackend, template_id: TemplatePath) -> Response:
    """Remove a template; flows made from it stay."""
    await backend.delete_template(template_id)
    return no_content()
