"""SignalWire, calls and text messages. API: Compatibility (LaML) REST, with project ID and API token."""

from patchbay.integration import App, basic_auth

from .actions import add_voice_xml_node, respond_with_voice_xml, send_sms
from .auth import auth
from .dynamic_data import (
    list_incoming_call_phone_numbers,
    list_incoming_sms_phone_numbers,
    list_voice_xml_children_nodes,
    list_voice_xml_node_attribute_values,
    list_voice_xml_node_attributes,
    list_voice_xml_nodes,
)
from .dynamic_fields import list_node_fields
from .triggers import receive_call, receive_sms

app = App(
    name="SignalWire",
    key="signalwire",
    supports_connections=True,
    base_url="https://signalwire.com",
    api_base_url="https://{auth.spaceName}.{auth.spaceRegion}signalwire.com",
    primary_color="#044CF6",
    description="Start a flow for calls and text messages, respond to calls, and send text messages.",
    category="Phone and SMS",
    keywords=("sms", "text message", "phone call"),
    auth=auth,
    before_request=[basic_auth(user="accountSid", password="authToken")],
    triggers=[receive_call, receive_sms],
    actions=[add_voice_xml_node, respond_with_voice_xml, send_sms],
    dynamic_data=[
        list_incoming_call_phone_numbers,
        list_incoming_sms_phone_numbers,
        list_voice_xml_node_attributes,
        list_voice_xml_node_attribute_values,
        list_voice_xml_nodes,
        list_voice_xml_children_nodes,
    ],
    dynamic_fields=[list_node_fields],
)
