"""Parsers of foreign input as plain functions, for `tests.support.bounded`."""

import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from patchbay.cli.flows import read_exports
from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import NotSupported, PayloadTooLarge, ThirdPartyError, ValidationFailed
from patchbay.domain.json_limits import read_json
from patchbay.domain.step_tree import find_problem, in_tree_order
from patchbay.domain.variables import references, resolve, rewrite_references, split
from patchbay.engine.cron import next_time
from patchbay.integration.masking import Masker
from patchbay.integration.request import Response
from patchbay.integration.request_actions import response_data
from patchbay.integration.third_party_errors import error_from_response
from patchbay.platform.settings import SettingsFile
from patchbay.server.errors import RequestRejected
from patchbay.server.request_bodies import MAX_JSON_VALUES, parse_strict_json
from patchbay.server.webhooks import decode_body
from patchbay.service.backup_archive import EncryptedFileReader
from patchbay.service.flow_export import _step_from_export, validate_export


def response(content: bytes, kind: str = "application/json", **headers: str) -> Response:
    """The answer of a third party."""
    return Response(
        400, "Bad Request", {"content-type": kind, **headers}, content, "http://a.example/", "Shop"
    )


def third_party_json(content: bytes) -> None:
    """What an app makes of an answer; whatever it is, it can be written as JSON that everybody reads."""
    json.dumps(response(content).json(), allow_nan=False)


def third_party_body(content: bytes) -> None:
    json.dumps(response_data(response(content)), allow_nan=False)


def any_json(content: bytes) -> None:
    json.dumps(read_json(content), allow_nan=False)


def webhook_json(content: bytes) -> None:
    json.dumps(parse_strict_json(content, MAX_JSON_VALUES), ensure_ascii=False, allow_nan=False).encode()


def error_page(content: bytes) -> None:
    error = error_from_response(response(content, "text/html"), "GET /", Masker(["planted-secret"]), 0)
    assert len(error.said) <= 300


def webhook_body(kind: str, content: bytes) -> None:
    from starlette.datastructures import Headers

    json.dumps(decode_body(content, Headers({"content-type": kind})))


def cron_line(line: str) -> None:
    from zoneinfo import ZoneInfo

    at = 1_790_000_000_000
    for _ in range(3):
        at = next_time(line, at, ZoneInfo("Europe/Berlin"))


def template_text(text: str) -> None:
    split(text)
    list(references({"a": [text]}))
    rewrite_references({"a": text}, {StepId("a"): StepId("b")})
    resolve(text, {StepId("a"): {"b": "x"}})


def imported_flow(text: str) -> None:
    """As the command line reads a file, and the service what is in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flow.json"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        for export in read_exports(str(path)):
            validate_export(export)
            fresh = export.with_new_ids(
                FlowId("flow"), [StepId(f"step-{number}") for number, _ in enumerate(export.steps)]
            )
            find_problem(in_tree_order([_step_from_export(step) for step in fresh.steps]))


def settings_file(text: str) -> None:
    """Whatever is in it, the program starts, and can save its settings again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        SettingsFile(path).save()
        assert SettingsFile(path).unreadable is None


def sealed_backup(content: bytes) -> None:
    opened = EncryptedFileReader(io.BytesIO(content), "passphrase")
    while opened.read(1 << 16):
        pass


PARSERS: dict[str, tuple[Callable[..., None], tuple[type[Exception], ...]]] = {
    "answer of a third party": (third_party_json, (ThirdPartyError, NotSupported)),
    "body of a third party": (third_party_body, (NotSupported,)),
    "error page": (error_page, ()),
    "JSON": (any_json, (ValueError,)),
    "JSON of a webhook": (webhook_json, (ValueError,)),
    "body of a webhook": (webhook_body, (RequestRejected,)),
    "cron line": (cron_line, (ValueError,)),
    "text with references": (template_text, (PayloadTooLarge,)),
    "flow to import": (imported_flow, (ValidationFailed,)),
    "settings": (settings_file, ()),
}
"""Each parser, and the errors by which it may say no."""


def parse(kind: str, *arguments: Any) -> bool:
    """Whether the input could be read. Raises what the parser must not raise."""
    read, refusals = PARSERS[kind]
    try:
        read(*arguments)
    except refusals:
        return False
    return True
