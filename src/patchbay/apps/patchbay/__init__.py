"""Patchbay: flows that call other flows, and flows that start on failures."""

from patchbay.domain.flow_calls import PATCHBAY_APP
from patchbay.integration import App

from .actions.answer import answer
from .actions.call_flow import call_flow
from .dynamic_data.list_callable_flows import list_callable_flows
from .dynamic_data.list_flows import list_flows
from .triggers.called import called
from .triggers.flow_failed import flow_failed

app = App(
    name="Patchbay",
    key=PATCHBAY_APP,
    primary_color="#4353D0",
    description="Call flows from other flows, and start a flow when others fail.",
    category="Built in",
    triggers=[called, flow_failed],
    actions=[call_flow, answer],
    dynamic_data=[list_callable_flows, list_flows],
)
