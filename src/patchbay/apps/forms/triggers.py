"""The trigger “New form submission”: it serves the form, and starts the flow with what is submitted."""

import secrets
from http import HTTPStatus

from patchbay.domain.apps import RowOutput
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.integration import YES_NO, Context, Trigger, TriggerKind, dropdown, rows, text

from .form import OWN_FORM, TRIGGER_KEY, FieldType, Form, find_form, redirect_url
from .page import HEADERS, form_page, message_page
from .submission import entered_values, read_submission, submission_id

_CONTENT_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")
_OWN = {"formId": OWN_FORM}
_TYPES = (
    (FieldType.TEXT, "Text"),
    (FieldType.MULTILINE, "Text with several lines"),
    (FieldType.EMAIL, "Email address"),
    (FieldType.PHONE, "Phone number"),
    (FieldType.NUMBER, "Number"),
    (FieldType.DATE, "Date"),
    (FieldType.TIME, "Time"),
    (FieldType.DATE_TIME, "Date and time"),
    (FieldType.DROPDOWN, "Choice from a list"),
    (FieldType.CHECKBOX, "Checkbox"),
    (FieldType.FILE, "File"),
)


async def run(ctx: Context) -> None:
    """Show the form for GET; for POST, check the submission, and push it as an item if it is valid."""
    if ctx.request is None:
        return
    try:
        form, target = await find_form(ctx), redirect_url(ctx.parameters)
    except (NotFound, ValidationFailed) as error:
        status = HTTPStatus.NOT_FOUND if isinstance(error, NotFound) else HTTPStatus.INTERNAL_SERVER_ERROR
        _show(ctx, status, "This form isn't available", error.happened)
        return
    if ctx.request.method == "GET":
        await _show_form(ctx, form)
    elif ctx.request.method == "POST":
        await _submit(ctx, form, target)
    else:
        _show(ctx, HTTPStatus.METHOD_NOT_ALLOWED, "This is a form", "Open its address in a browser.")


async def _submit(ctx: Context, form: Form, target: str) -> None:
    assert ctx.request is not None
    if (longest := form.max_body_bytes) is not None and len(ctx.request.raw_body) > longest:
        _show(ctx, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "This is too long", "Go back, and enter less text.")
        return
    kind = ctx.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _CONTENT_TYPES:
        _show(ctx, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "This is a form", "Open its address in a browser.")
        return
    submission = read_submission(form, ctx.request.body)
    if submission.errors:
        page = await form_page(form, _new_page_id(), submission.entered, submission.errors)
        ctx.respond(HTTPStatus.UNPROCESSABLE_ENTITY, HEADERS, page)
        return
    if target:
        ctx.respond(HTTPStatus.SEE_OTHER, {"location": target}, None)
    else:
        _show(ctx, HTTPStatus.OK, form.title, form.thanks)
    internal_id = await submission_id(ctx.request.body, submission.values) or f"form:{_new_page_id()}"
    await ctx.push_request_item({"body": submission.values, "query": ctx.request.query}, internal_id)


async def _show_form(ctx: Context, form: Form) -> None:
    """The empty form. Query parameters with the keys of fields fill them in."""
    assert ctx.request is not None
    page = await form_page(form, _new_page_id(), entered_values(form, ctx.request.query))
    ctx.respond(HTTPStatus.OK, HEADERS, page)


def _show(ctx: Context, status: int, title: str, text: str) -> None:
    ctx.respond(status, HEADERS, message_page(title, text))


def _new_page_id() -> str:
    return secrets.token_hex(16)


_FIELDS = (
    text("label", "Label", required=True, variables=False),
    dropdown("type", "Type", _TYPES, required=True, value=FieldType.TEXT),
    dropdown("required", "Required", YES_NO, value=False),
    text("help", "Help text", variables=False),
    text(
        "options",
        "Choices, one per line",
        multiline=True,
        variables=False,
        visible_if={"type": FieldType.DROPDOWN},
    ),
    text(
        "key",
        "Key",
        variables=False,
        placeholder="first_name",
        description="The field's name in the data. If empty, it's derived from the label.",
    ),
)

new_form_submission = Trigger(
    key=TRIGGER_KEY,
    name="New form submission",
    description="Starts when someone submits the form at this flow's address.",
    kind=TriggerKind.WEBHOOK,
    show_webhook_url=True,
    shows_page=True,
    row_output=RowOutput(argument="fields", group="body"),
    supports_connections=False,
    arguments=(
        dropdown(
            "formId",
            "Form",
            source="listForms",
            required=True,
            variables=True,
            value=OWN_FORM,
            description="The flow's own form, or the same form as another published flow. Each flow has its "
            "own address.",
        ),
        text("title", "Title", required=True, variables=False, visible_if=_OWN),
        text("description", "Introduction", multiline=True, variables=False, visible_if=_OWN),
        rows("fields", "Fields", _FIELDS, required=True, add="Add field", visible_if=_OWN),
        text("submitLabel", "Label of the button", placeholder="Submit", variables=False, visible_if=_OWN),
        dropdown(
            "workSynchronously",
            "Wait for the flow to finish",
            YES_NO,
            required=True,
            value=False,
            description="Yes: people see the response of a “Respond with” step. No: they see the message "
            "below, or are redirected.",
        ),
        text(
            "thanks",
            "Message after the submission",
            multiline=True,
            variables=False,
            placeholder="Thank you. Your response was sent.",
            visible_if=_OWN,
        ),
        text(
            "asyncRedirectUrl",
            "Redirect to",
            placeholder="https://www.example.com/thanks",
            description="Show this page after the submission instead of a message.",
            visible_if={"workSynchronously": False},
        ),
    ),
    run=run,
    test_run=run,
)
