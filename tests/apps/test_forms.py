"""Forms: what visitors see and send, and what becomes of it."""

from html.parser import HTMLParser
from threading import current_thread, main_thread
from urllib.parse import urlencode

import pytest
from tests.support.app_calls import built_in_app, context

from patchbay.apps.forms import page, submission
from patchbay.apps.forms.form import PAGE_ID_FIELD, read_form, redirect_url
from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flow_calls import PublishedStep
from patchbay.domain.ports import WebhookRequest
from patchbay.integration.context import collect_items

APP = built_in_app("forms")
(TRIGGER,) = APP.triggers
HOSTILE = "\"><script>alert('x')</script>&amp;"


def field(label, kind="text", **more):
    return {"label": label, "type": kind, **more}


def form(*fields, **more):
    return {"formId": "own", "title": "Contact", "fields": list(fields), "workSynchronously": False, **more}


CONTACT = form(
    field("Full name", required=True),
    field("Email", "email", required=True),
    field("Age", "number"),
    field("Topic", "dropdown", options="Billing\nSupport"),
    field("Since", "date"),
    field("Subscribe", "checkbox", key="news"),
    field("Message", "multiline"),
)
VALID = {
    "full_name": " Ada ",
    "email": "ada@example.com",
    "age": "36.5",
    "topic": "Support",
    "since": "2026-03-31",
    "news": "true",
    "message": "Hello,\r\nworld",
}


class Directory:
    """Another published flow with a form, and one that uses it."""

    def __init__(self, *steps):
        self.steps = steps

    async def published_steps(self, app_key, key, flow_id=None):
        assert (app_key, key) == ("forms", "newFormSubmission")
        return tuple(step for step in self.steps if flow_id in (None, step.flow_id))


def other_flow(parameters, flow_id="f2", name="Contacts"):
    return PublishedStep(flow_id=FlowId(flow_id), flow_name=name, step_id=StepId("s"), parameters=parameters)


SENT_BY_BROWSER = {"user-agent": "Browser", "content-type": "application/x-www-form-urlencoded"}


async def visit(parameters, method="GET", body=None, query=None, raw=b"", headers=SENT_BY_BROWSER, **more):
    """The items and the response of one request."""
    request = WebhookRequest(method=method, headers=headers, query=query or {}, body=body, raw_body=raw)
    ctx = context("forms", parameters, request=request, **more)
    items = await collect_items(TRIGGER.run, ctx)
    return items, ctx.answer


class Page(HTMLParser):
    """The tags of a page, by name."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def all(self, *names):
        return [attributes for tag, attributes in self.tags if tag in names]

    def invalid(self):
        return [attributes for _, attributes in self.tags if attributes.get("aria-invalid") == "true"]


async def test_the_form_is_a_page_without_scripts_on_which_every_control_has_a_label():
    items, answer = await visit(CONTACT)

    page = Page(answer.body)
    controls = [one for one in page.all("input", "select", "textarea") if one.get("type") != "hidden"]
    assert items == ()
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert [one["name"] for one in controls] == [*VALID]
    assert {one["for"] for one in page.all("label")} == {one["id"] for one in controls}
    assert [one["name"] for one in controls if "required" in one] == ["full_name", "email"]
    assert page.all("script") == []
    assert "default-src 'none'" in page.all("meta")[1]["content"]
    assert not [one for one in page.tags if {"src", "href"} & one[1].keys()]


async def test_a_submission_is_an_item_with_typed_values_and_the_visitor_is_thanked():
    (item,), answer = await visit(
        {**CONTACT, "thanks": "See you <soon>"}, "POST", {**VALID, "more": "x"}, {"from": "mail"}
    )

    assert item.raw == {
        "body": {
            "full_name": "Ada",
            "email": "ada@example.com",
            "age": 36.5,
            "topic": "Support",
            "since": "2026-03-31",
            "news": True,
            "message": "Hello,\nworld",
        },
        "query": {"from": "mail"},
    }
    assert answer.status == 200
    assert "See you &lt;soon&gt;" in answer.body


async def test_fields_that_are_left_empty_are_empty_values():
    (item,), _ = await visit(CONTACT, "POST", {"full_name": "Ada", "email": "a@b"})

    empty = {"age": None, "topic": "", "since": "", "news": False, "message": ""}
    assert item.raw["body"] == {"full_name": "Ada", "email": "a@b", **empty}


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("full_name", "  ", "Enter a value."),
        ("full_name", "x" * 1001, "too long"),
        ("email", "ada", "Enter an email address"),
        ("age", "old", "Enter a number."),
        ("age", "1e999", "at most 300 digits"),
        ("age", "-1e300", "at most 300 digits"),
        ("age", "1" * 301, "too long"),
        ("topic", "Support" + " " * 9, "too long"),
        ("topic", "Other", "Choose one of the options."),
        ("since", "31/03/2026", "Enter a date."),
        ("message", "x" * 20_001, "too long"),
    ],
)
async def test_an_invalid_value_shows_the_form_again_with_what_was_entered(key, value, problem):
    items, answer = await visit(CONTACT, "POST", {**VALID, key: value})

    page = Page(answer.body)
    assert items == ()
    assert answer.status == 422
    assert problem in answer.body
    assert [one["name"] for one in page.invalid()] == [key]
    kept = "ada@example.com" if key != "email" else "Ada"
    assert kept in [one.get("value") for one in page.all("input")]


@pytest.mark.parametrize("value", ["'" * 10_000_000, " " * 10_000_000 + "x"], ids=["quotes", "spaces"])
async def test_a_text_that_is_too_long_is_not_shown_as_a_whole(value):
    items, answer = await visit(CONTACT, "POST", dict.fromkeys(VALID, value))
    _, prefilled = await visit(CONTACT, query=dict.fromkeys(VALID, value))

    page = Page(answer.body)
    assert (items, answer.status) == ((), 422)
    assert "Enter at most 1,000 characters." in answer.body
    assert len(next(one for one in page.all("input") if one.get("name") == "full_name")["value"]) == 1001
    assert len(answer.body) < 200_000
    assert len(prefilled.body) < 200_000


async def test_line_breaks_count_as_one_character():
    longest = "x\r\n" * 10_000

    (item,), _ = await visit(CONTACT, "POST", {**VALID, "message": longest})

    assert item.raw["body"]["message"] == "x\n" * 10_000


async def test_a_long_option_of_a_dropdown_can_be_chosen():
    option = "x" * 3000

    (item,), _ = await visit(form(field("A", "dropdown", options=option)), "POST", {"a": option})

    assert item.raw["body"] == {"a": option}


async def test_a_number_with_300_digits_is_stored():
    (item,), _ = await visit(CONTACT, "POST", {**VALID, "age": "1e299"})

    assert item.raw["body"]["age"] == 10**299


async def test_a_form_without_files_accepts_only_what_its_fields_can_hold():
    longest = {"full_name": "𝒜" * 1000, "email": "ä" * 990 + "@example", "message": "𝒜" * 20_000}
    raw = urlencode({**VALID, **longest, PAGE_ID_FIELD: "a" * 32}).encode()
    with_file = form(*CONTACT["fields"], field("CV", "file"))
    too_long = b"full_name=" + b"x" * 500_000

    accepted, _ = await visit(CONTACT, "POST", {**VALID, **longest}, raw=raw)
    items, answer = await visit(CONTACT, "POST", {**VALID, "other": "x"}, raw=too_long)
    (_,), attached = await visit(with_file, "POST", VALID, raw=too_long)

    assert len(accepted) == 1
    assert (items, answer.status, attached.status) == ((), 413, 200)
    assert "This is too long" in answer.body


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "", "multipart/mixed"])
async def test_only_forms_are_accepted(kind):
    upload = {"name": "a", "contentType": "b", "size": -1, "base64": "?"}
    parameters = form(field("CV", "file"))

    items, answer = await visit(parameters, "POST", {"cv": upload}, headers={"content-type": kind})
    (_,), multipart = await visit(
        parameters, "POST", {"cv": upload}, headers={"content-type": "Multipart/Form-Data; boundary=x"}
    )

    assert (items, answer.status, multipart.status) == ((), 415, 200)
    assert "This is a form" in answer.body


async def test_an_empty_form_is_built_once_and_gets_a_new_id_each_time(monkeypatch):
    built = []

    def build(item, value, error, options):
        built.append(item.key)
        return f"[{item.label}]"

    monkeypatch.setattr(page, "_field", build)
    fields = [field(f"Field {number}", "dropdown", options="A\nB" * 300) for number in range(20)]

    shown = [(await visit(form(*fields, title="Once")))[1].body for _ in range(3)]
    await visit(form(*fields, title="Changed"))

    assert len(built) == 2 * len(fields)
    assert len({Page(one).all("input")[0]["value"] for one in shown}) == 3
    assert all(one.count("[Field 19]") == 1 for one in shown)


async def test_large_pages_and_large_submissions_are_processed_in_threads(monkeypatch):
    threads = []

    def record(module, name):
        original = getattr(module, name)

        def recorded(*arguments):
            threads.append((name, current_thread() is main_thread()))
            return original(*arguments)

        monkeypatch.setattr(module, name, recorded)

    record(page, "_form_page")
    record(submission, "_digest")
    large = form(*(field(f"Field {number}", "multiline") for number in range(10)), title="Large")
    upload = {"name": "a", "contentType": "b", "size": 300_000, "base64": "x" * 400_000}

    await visit(large, "POST", {f"field_{number}": "x" * 20_001 for number in range(10)})
    await visit(CONTACT, "POST", {})
    await visit(form(field("CV", "file")), "POST", {"cv": upload, PAGE_ID_FIELD: "a" * 32})
    await visit(CONTACT, "POST", {**VALID, PAGE_ID_FIELD: "a" * 32})

    assert threads == [("_form_page", False), ("_form_page", True), ("_digest", False), ("_digest", True)]


async def test_large_pages_leave_other_threads_alone_and_are_built_from_prepared_options(monkeypatch):
    threads, prepared = [], []
    build_page, build_option = page._form_page, page._option

    def record_page(*arguments):
        threads.append(current_thread().name)
        return build_page(*arguments)

    def record_option(option, attributes=""):
        prepared.append(option)
        return build_option(option, attributes)

    monkeypatch.setattr(page, "_form_page", record_page)
    monkeypatch.setattr(page, "_option", record_option)
    options = "\n".join(f"A & {number}" for number in range(500))
    large = form(*(field(f"F{number}", "dropdown", options=options) for number in range(3)), title="Options")

    pages = [(await visit(large, query={"f0": f"A & {number}"}))[1].body for number in (7, 499, 1000)]

    assert {name.rpartition("_")[0] for name in threads} == {"form-pages"}
    assert len(prepared) <= 3 * 500 + 3 * 2 * 3
    chosen = [[one for one in Page(shown).all("option") if "selected" in one] for shown in pages]
    assert [len(one) for one in chosen] == [1, 1, 0]
    assert "<option selected>A &amp; 7</option>" in pages[0]
    assert [shown.count("<option") for shown in pages] == [3 * 501] * 3


async def test_everything_that_a_visitor_or_an_author_enters_is_escaped():
    hostile = form(
        field(HOSTILE, "dropdown", key="a", options=HOSTILE, help=HOSTILE, required=True),
        field("Text", key="b"),
        field("Long", "multiline", key="c"),
        title=HOSTILE,
        description=HOSTILE,
        submitLabel=HOSTILE,
    )
    shown = [
        (await visit(hostile, query={"a": HOSTILE, "b": HOSTILE, "c": f"</textarea>{HOSTILE}"}))[1],
        (await visit(hostile, "POST", {"b": HOSTILE, PAGE_ID_FIELD: HOSTILE}))[1],
        (await visit({**hostile, "thanks": HOSTILE}, "POST", {"a": HOSTILE}))[1],
    ]

    assert [answer.status for answer in shown] == [200, 422, 200]
    for answer in shown:
        assert Page(answer.body).all("script") == []
        assert "<script>" not in answer.body


async def test_the_query_fills_in_fields():
    _, answer = await visit(CONTACT, query={"topic": "Support", "full_name": ["Ada", "Eve"], "news": "1"})

    page = Page(answer.body)
    assert [one for one in page.all("option") if "selected" in one]
    assert next(one for one in page.all("input") if one.get("name") == "full_name")["value"] == "Ada"
    assert "checked" in next(one for one in page.all("input") if one.get("name") == "news")


async def test_the_same_page_sent_twice_is_one_submission_but_corrected_values_are_another():
    mark = {PAGE_ID_FIELD: "a" * 32}

    async def internal_id(body):
        (item,), _ = await visit(CONTACT, "POST", body)
        return item.internal_id

    first = await internal_id({**VALID, **mark})
    assert await internal_id({**VALID, **mark}) == first
    assert await internal_id({**VALID, **mark, "message": "Sorry"}) != first
    assert await internal_id({**VALID, PAGE_ID_FIELD: "b" * 32}) != first
    assert await internal_id(VALID) != await internal_id(VALID)


async def test_a_file_is_kept_as_an_object_and_required_files_are_missed():
    upload = {"name": "a.txt", "contentType": "text/plain", "size": 1, "base64": "YQ=="}
    parameters = form(field("CV", "file", required=True))

    (item,), _ = await visit(parameters, "POST", {"cv": upload})
    nothing, answer = await visit(parameters, "POST", {"cv": "a.txt"})
    _, shown = await visit(parameters)

    assert item.raw["body"] == {"cv": upload}
    assert (nothing, answer.status) == ((), 422)
    assert Page(shown.body).all("form")[0]["enctype"] == "multipart/form-data"


@pytest.mark.parametrize("body", [None, "text", [1], {"full_name": {"a": 1}, "email": [[]]}])
async def test_bodies_that_are_no_form_start_nothing(body):
    items, answer = await visit(CONTACT, "POST", body)

    assert (items, answer.status) == ((), 422)


async def test_other_methods_start_nothing():
    items, answer = await visit(CONTACT, "PUT", VALID)

    assert (items, answer.status) == ((), 405)


async def test_visitors_are_redirected_if_the_form_does_not_wait():
    target = {"asyncRedirectUrl": "https://bücher.example/a b?q=ü#x"}

    (_,), answer = await visit({**CONTACT, **target}, "POST", VALID)
    (_,), waiting = await visit({**CONTACT, **target, "workSynchronously": True}, "POST", VALID)

    assert answer.status == 303
    assert answer.headers == {"location": "https://xn--bcher-kva.example/a%20b?q=%C3%BC#x"}
    assert waiting.status == 200


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://example.com",
        "/thanks",
        "https://",
        "https://user@example.com/",
        "https://example.com:99999/",
        "http://[::1",
        "http://[v1.a]/",
        "http://[::1]example.com/",
        "http://[fe80::1%25eth0]/",
        "https://exa mple.com/",
        "https://example.com%0d%0aSet-Cookie:a=b/",
        "https://exam'ple.com/",
        'https://exam"ple.com/',
        "https://a;b.example/",
        "https://example.com/" + "x" * 2000,
    ],
)
async def test_only_web_addresses_are_redirect_targets(url):
    with pytest.raises(ValidationFailed):
        redirect_url({"asyncRedirectUrl": url})

    items, answer = await visit({**CONTACT, "asyncRedirectUrl": url}, "POST", VALID)

    assert (items, answer.status) == ((), 500)


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://[2001:DB8::0:1]:8080/a", "http://[2001:db8::1]:8080/a"),
        ("http://192.0.2.1/", "http://192.0.2.1/"),
        ("https://my_shop.example.com:/", "https://my_shop.example.com/"),
    ],
)
def test_ip_addresses_and_ports_are_kept(url, sent):
    assert redirect_url({"asyncRedirectUrl": url}) == sent


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ([], "no fields"),
        ([field("")], "has no label"),
        ([field("Name"), field("name")], "Two fields have the key “name”"),
        ([field("Name", key="a b")], "isn't a valid key"),
        ([field("Name", key="_submission")], "The key “_submission” is reserved."),
        ([field("Name", "dropdown", options=" \n ")], "needs between 1 and 500 options"),
        ([field("Name", "colour")], "unknown type"),
        ([field(f"Field {number}") for number in range(101)], "at most 100 fields"),
    ],
)
async def test_a_form_that_is_not_valid_says_so_on_its_page(fields, problem):
    items, answer = await visit(form(*fields), "POST", {"name": "x"})

    assert (items, answer.status) == ((), 500)
    assert problem.replace("'", "&#x27;") in answer.body


def test_keys_are_made_from_labels():
    keys = [one.key for one in read_form(form(field("E-mail (work)"), field("名前"))).fields]

    assert keys == ["e_mail_work", "field_2"]


async def test_a_flow_can_use_the_form_of_another_flow():
    flows = Directory(other_flow(CONTACT), other_flow({"formId": "f2"}, "f3", "Uses it"))
    parameters = {"formId": "f2", "workSynchronously": False}

    (item,), answer = await visit(parameters, "POST", VALID, flows=flows)
    _, of_user = await visit({"formId": "f3"}, flows=flows)
    _, gone = await visit({"formId": "f9"}, flows=flows)

    assert item.raw["body"]["email"] == "ada@example.com"
    assert answer.status == 200
    assert (of_user.status, gone.status) == (404, 404)


async def test_the_list_has_the_own_form_and_those_of_other_flows():
    flows = Directory(
        other_flow(CONTACT),
        other_flow(form(field("A"), title="Survey"), "f4", "Survey"),
        other_flow({"formId": "f2"}, "f3", "Uses it"),
    )

    options = await APP.dynamic_data[0].load(context("forms", {}, flows=flows))

    assert [(one.value, one.label) for one in options] == [
        ("own", "This flow's own form"),
        ("f2", "Contact (Contacts)"),
        ("f4", "Survey"),
    ]


async def test_without_a_request_there_is_nothing_to_show():
    ctx = context("forms", CONTACT)

    assert await collect_items(TRIGGER.run, ctx) == ()
