"""The XML that says what happens in a call: which nodes there are, and how they are written."""

import html
import re
from collections.abc import Iterable, Mapping

from patchbay.domain.base import Json
from patchbay.integration.values import as_text, parameter_error

_REQUEST = ("action", "method")
_CALLBACK = ("statusCallback", "statusCallbackMethod", "statusCallbackEvent")
_RECORDING = ("recordingStatusCallback", "recordingStatusCallbackMethod", "trim")

ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "Conference": (
        "muted", "beep", "startConferenceOnEnter", "endConferenceOnExit", "waitUrl", "waitMethod",
        "maxParticipants", "record", *_CALLBACK, *_RECORDING,
    ),
    "Connect": _REQUEST,
    "Dial": (
        *_REQUEST, "answerOnBridge", "callerId", "hangupOnStar", "record", "ringTone", "timeLimit", "timeout",
        *_RECORDING,
    ),
    "Enqueue": (*_REQUEST, "waitUrl", "waitUrlMethod"),
    "Gather": (
        *_REQUEST, "actionOnEmptyResult", "finishOnKey", "hints", "input", "language", "numDigits",
        "partialResultCallback", "partialResultCallbackMethod", "profanityFilter", "speechTimeout", "timeout",
    ),
    "Hangup": (),
    "Leave": (),
    "Number": ("method", "sendDigits", "url", *_CALLBACK),
    "Pause": ("length",),
    "Play": ("digits", "loop"),
    "Queue": ("method", "url"),
    "Record": (
        *_REQUEST, "finishOnKey", "maxLength", "playBeep", "timeout", "transcribe", "transcribeCallback",
        *_RECORDING,
    ),
    "Redirect": ("method",),
    "Reject": ("reason",),
    "Room": ("participantIdentity",),
    "Say": ("language", "loop", "voice"),
    "Sip": ("method", "password", "url", "username", *_CALLBACK),
    "Sms": (*_REQUEST, "from", "statusCallback", "to"),
    "Stream": ("name", "track", "url"),
}  # fmt: skip
"""The nodes, and the attributes of each."""

CHILDREN: Mapping[str, tuple[str, ...]] = {
    "Connect": ("Room", "Stream"),
    "Dial": ("Conference", "Number", "Queue", "Sip"),
    "Gather": ("Pause", "Play", "Say"),
}
"""The nodes inside others."""

_YES_NO = ("true", "false")
_METHODS = ("GET", "POST")
VALUES: Mapping[str, tuple[str, ...]] = {
    "actionOnEmptyResult": _YES_NO,
    "answerOnBridge": _YES_NO,
    "beep": (*_YES_NO, "onEnter", "onExit"),
    "endConferenceOnExit": _YES_NO,
    "hangupOnStar": _YES_NO,
    "input": ("dtmf", "speech", "dtmf speech"),
    "language": ("en-US", "en-GB", "de-DE", "es-ES", "fr-FR", "it-IT", "nl-NL", "pt-BR"),
    "method": _METHODS,
    "muted": _YES_NO,
    "partialResultCallbackMethod": _METHODS,
    "playBeep": _YES_NO,
    "profanityFilter": _YES_NO,
    "reason": ("rejected", "busy"),
    "recordingStatusCallbackMethod": _METHODS,
    "speechTimeout": ("auto",),
    "startConferenceOnEnter": _YES_NO,
    "statusCallbackMethod": _METHODS,
    "track": ("inbound_track", "outbound_track", "both_tracks"),
    "transcribe": _YES_NO,
    "trim": ("trim-silence", "do-not-trim"),
    "voice": ("man", "woman"),
    "waitMethod": _METHODS,
    "waitUrlMethod": _METHODS,
}
"""The values of attributes that have few; others take any text."""
VALUES_OF_NODE: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("Conference", "record"): ("record-from-start", "do-not-record"),
    ("Dial", "record"): (
        "do-not-record",
        "record-from-answer",
        "record-from-ringing",
        "record-from-answer-dual",
        "record-from-ringing-dual",
    ),
}
"""The same for attributes that differ from node to node."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def node(name: str, value: str, attributes: Json, children: Iterable[str] = ()) -> str:
    """A node as XML: text and attributes are escaped, children are XML already."""
    _require_name(name, "nodeName")
    written = "".join(f' {key}="{_escape(text)}"' for key, text in _attributes(attributes))
    content = _escape(value) + "".join(children)
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def response(nodes: Iterable[str]) -> str:
    """The document that responds to a call."""
    return f'<?xml version="1.0" encoding="UTF-8"?><Response>{"".join(nodes)}</Response>'


def _attributes(rows: Json) -> Iterable[tuple[str, str]]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and (key := as_text(row.get("key")).strip()):
            yield _require_name(key, "attributes"), as_text(row.get("value"))


def _require_name(name: str, key: str) -> str:
    if not _NAME.fullmatch(name):
        raise parameter_error(key, f"“{name[:60]}” isn't a valid name in XML.")
    return name


def _escape(text: str) -> str:
    return html.escape(_NOT_IN_XML.sub("", text))
