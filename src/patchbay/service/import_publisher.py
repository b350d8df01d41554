"""Importing and publishing flows in one commit."""

from collections import Counter
from collections.abc import Mapping, Sequence

from patchbay.domain.backend import ImportedFlow
from patchbay.domain.base import AppKey, FlowId, UserId, get_optional
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError
from patchbay.domain.flow_import import (
    flow_label,
    missing_connection_app,
    publishing_error,
    publishing_problems,
)
from patchbay.domain.flows import Flow, FlowExport, Step, StepChange
from patchbay.service.flow_export import changed_draft_error, draft_from_export, is_changed_since_import
from patchbay.service.flows import Flows
from patchbay.service.publishing import DraftToPublish, NotPublished, Publishing
from patchbay.service.service_context import ServiceContext
from patchbay.service.step_tests import StepTests
from patchbay.service.steps import apply_change
from patchbay.storage.repositories import connections, flows
from patchbay.storage.repositories.owners import restricted_user
from patchbay.storage.repositories.rows import Tx


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
        draft = await self._step_tests.skip_tests(self._draft(export), is_stored=False)
        try:
            return ImportedFlow(await self._publishing.publish_new_flow(draft))
        except AppError as error:
            return ImportedFlow(await self._flows.insert(draft), error)

    async def import_and_publish_flows(
        self, exports: Sequence[FlowExport], *, use_accounts: bool, copy: bool
    ) -> tuple[Flow, ...]:
        """Store and publish all flows in one commit. They belong to the caller, also those stored before.

        Raises `ValidationFailed` with the problems of all flows if one can't be published.
        """
        user = self._context.owner_id
        fingerprints = [] if copy else [export.fingerprint for export in exports]

        def read(tx: Tx) -> tuple[dict[str, Flow], dict[AppKey, Connection]]:
            accounts = _only_connections(tx, restricted_user(tx, user)) if use_accounts else {}
            return flows.find_imported(tx, fingerprints, user), accounts

        existing, accounts = await self._context.db.read(read)
        imported: list[Flow] = []
        labels: list[str] = []
        drafts: dict[FlowId, DraftToPublish] = {}
        for number, export in enumerate(exports, 1):
            stored = existing.get(export.fingerprint)
            flow = stored or self._draft(export)
            if not flow.active and flow.id not in drafts:
                drafts[flow.id] = await self._prepare(flow, stored, export, accounts)
                flow = drafts[flow.id].flow
                labels.append(flow_label(number, flow.name))
            imported.append(flow)
        try:
            published = await self._publishing.publish_drafts([*drafts.values()])
        except NotPublished as failure:
            problems = self._problems(failure, [*drafts.values()], labels)
            raise publishing_error(problems, len(exports)) from failure
        by_id = {flow.id: flow for flow in published}
        return tuple(by_id.get(flow.id) or self._context.with_addresses(flow) for flow in imported)

    async def _prepare(
        self, flow: Flow, stored: Flow | None, export: FlowExport, accounts: Mapping[AppKey, Connection]
    ) -> DraftToPublish:
        """The draft with connections and skipped tests, or as it is if it differs from the file."""
        if stored is not None:
            apps = self._context.app_details((*flow.app_keys, *_app_keys(export)))
            if is_changed_since_import(stored, export, apps):
                return DraftToPublish(stored, stored, changed_draft_error())
        flow = self._with_connections(flow, accounts)
        flow = await self._step_tests.skip_tests(flow, is_stored=stored is not None)
        return DraftToPublish(flow, stored)

    def _draft(self, export: FlowExport) -> Flow:
        apps = self._context.app_details(_app_keys(export))
        return draft_from_export(
            export, self._context.owner_id, self._context.clock(), apps, export.fingerprint
        )

    def _with_connections(self, flow: Flow, accounts: Mapping[AppKey, Connection]) -> Flow:
        """Set the connection of each step that lacks one, if its app is among these."""
        apps = self._context.app_details(flow.app_keys)

        def connected(step: Step) -> Step:
            app = get_optional(apps, step.app_key)
            connection = get_optional(accounts, missing_connection_app(step, app))
            if connection is None:
                return step
            return apply_change(step, StepChange(connection_id=connection.id), app, connection)

        return flow.model_copy(update={"steps": tuple(map(connected, flow.steps))})

    def _problems(
        self, failure: NotPublished, drafts: Sequence[DraftToPublish], labels: Sequence[str]
    ) -> list[str]:
        """Why drafts can't be published, one text per draft."""
        texts = []
        for index, error in failure.errors.items():
            flow = drafts[index].flow
            problems = publishing_problems(error, flow, self._context.app_details(flow.app_keys))
            texts.append(f"{labels[index]}: {' '.join(problems)}")
        return texts


def _app_keys(export: FlowExport) -> list[AppKey]:
    return [step.app_key for step in export.steps if step.app_key]


def _only_connections(tx: Tx, owner: UserId | None) -> dict[AppKey, Connection]:
    """The connection of each app that has exactly one; only those of `owner`, if given."""
    found = [item for item in connections.find(tx) if owner in (None, item.user_id)]
    counts = Counter(item.app_key for item in found)
    return {item.app_key: item for item in found if counts[item.app_key] == 1}
