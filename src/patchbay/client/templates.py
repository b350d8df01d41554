"""Templates over HTTP."""

from patchbay.client.compat import validate_name
from patchbay.client.errors import NotAnApiResponse
from patchbay.client.flow_ownership import FlowOwnershipResolver
from patchbay.client.responses import ApiResponse
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, TemplateId, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import Forbidden, NotFound
from patchbay.domain.flows import Flow
from patchbay.domain.folders import Template

_TEMPLATES = "/v1/templates"


class TemplateCalls:
    """Templates, and flows made from them."""

    _adapter: ServiceAdapter
    _flow_ownership: FlowOwnershipResolver

    async def list_templates(self) -> tuple[Template, ...]:
        return (await self._templates("GET", _TEMPLATES)).many(Template)

    async def get_template(self, template_id: TemplateId) -> Template:
        return (await self._templates("GET", build_path(_TEMPLATES + "/{id}", id=template_id))).one(Template)

    async def create_template(self, name: str, flow_id: FlowId) -> Template:
        named = name if await self._adapter.is_patchbay() else validate_name(name)
        body = {"name": named, "flowId": flow_id}
        return (await self._templates("POST", _TEMPLATES, body)).one(Template)

    async def delete_template(self, template_id: TemplateId) -> Change:
        await self._templates("DELETE", build_path(_TEMPLATES + "/{id}", id=template_id))
        return Change(noun=ResourceType.TEMPLATE, ids=(template_id,), action="deleted")

    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow:
        body = {"userId": user_id or await self._adapter.owner(), "templateId": template_id}
        return await self._flow_ownership.whole(await self._adapter.send("POST", "/v1/flows", body))

    async def _templates(self, method: str, path: str, body: object = None) -> ApiResponse:
        """Automatisch servers forbid templates where they're turned off; old ones have none."""
        try:
            return await (
                self._adapter.get(path) if method == "GET" else self._adapter.send(method, path, body)
            )
        except (Forbidden, NotFound, NotAnApiResponse) as error:
            is_single = isinstance(error, NotFound) and (method, path) != ("GET", _TEMPLATES)
            if is_single or await self._adapter.is_patchbay():
                raise
            raise self._adapter.mark_unsupported(Feature.TEMPLATES) from error
