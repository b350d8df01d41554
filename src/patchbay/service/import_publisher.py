"""Importing and publishing flows in one commit."""

from patchbay.domain.backend import ImportedFlow
from patchbay.domain.errors import AppError
from patchbay.domain.flows import FlowExport
from patchbay.service.flow_export import draft_from_export
from patchbay.service.flows import Flows
from patchbay.service.publishing import Publishing
from patchbay.service.service_context import ServiceContext
from patchbay.service.step_tests import StepTests


class ImportPublisher:
    """Imports flows as published ones, or as drafts if they can't be published."""

    def __init__(
        self, context: ServiceContext, flows: Flows, step_tests: StepTests, publishing: Publishing
    ) -> None:
        self._context = context
        self._flows = flows
        self._step_tests = step_tests
        self._publishing = publishing

    async def import_and_publish_flow(self, export: FlowExport) -> ImportedFlow:
        """Store the flow in one commit, published or as a draft, with the tests skipped that can be."""
        apps = self._context.app_details(step.app_key for step in export.steps if step.app_key)
        draft = draft_from_export(
            export, self._context.owner_id, self._context.clock(), apps, export.fingerprint
        )
        draft = await self._step_tests.skip_tests_of_new_flow(draft)
        try:
            return ImportedFlow(await self._publishing.publish_new_flow(draft))
        except AppError as error:
            return ImportedFlow(await self._flows.insert(draft), error)
