"""What is hidden of a connection's secrets before anything is kept."""

import base64
import html
import time

import pytest

from patchbay.domain.base import ExecutionId
from patchbay.domain.errors import AppError, ThirdPartyError, ValidationFailed
from patchbay.integration import App, Auth, AuthField, Context, oauth_messages, without_credentials
from patchbay.integration.context import CurrentAuth, CurrentExecution, ExitRun, collect_items
from patchbay.integration.masking import MASK, Masker, secrets_of
from patchbay.integration.request import Response
from patchbay.integration.third_party_errors import MAX_MESSAGE_LENGTH, error_from_response

KEY = "sk-planted/5ecret+0123"


async def unused(_: Context) -> None: ...


async def still(_: Context) -> bool:
    return True


PIN = AuthField(key="pin", label="Pin", secret=True)
LENDER = App(
    name="Lender",
    key="lender",
    auth=Auth(fields=(PIN,), verify_credentials=unused, is_still_verified=still),
)
APP = App(name="Shop", key="shop")


def context(**changes) -> Context:
    return Context(app=APP, auth=CurrentAuth(data={"pin": KEY}, app=LENDER), **changes)


@pytest.mark.parametrize("name", ["", "a", "ab", "abc", "somebody"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_password_is_hidden_in_the_base64_of_name_and_password(name, encode):
    header = encode(f"{name}:{KEY}:more".encode()).decode()

    masked = Masker([KEY]).text(f"Basic {header} was refused")

    assert MASK in masked
    assert masked.startswith("Basic ")
    assert masked.endswith(" was refused")
    rest = masked.removeprefix("Basic ").removesuffix(" was refused")
    assert len(rest.replace(MASK, "")) <= len(header) - len(KEY)


@pytest.mark.parametrize("quote", [True, False])
def test_a_password_is_hidden_in_html(quote):
    assert Masker(["<p&\"ass'>word"]).text(html.escape("<p&\"ass'>word", quote=quote)) == MASK


def test_a_secret_that_was_stored_as_a_number_is_hidden():
    assert Masker(secrets_of(LENDER, {"pin": 918273645564})).text("it is 918273645564") == f"it is {MASK}"


def test_short_secrets_do_not_black_out_what_only_looks_like_their_base64():
    assert Masker(["abc"]).text("YWJj and xYWJjx") == f"{MASK} and xYWJjx"


def test_output_hides_the_secrets_of_a_connection_that_belongs_to_another_app():
    ctx = context()

    ctx.set_action_item({"echo": [KEY], KEY: 1})

    assert ctx.action_output == {"echo": [MASK], MASK: 1}


@pytest.mark.parametrize(
    "error",
    [
        AppError(f"It said {KEY}.", meaning=f"{KEY}?", todo=f"Look at {KEY}."),
        ValidationFailed({"field": [f"{KEY} is wrong"]}),
        ThirdPartyError(app="Shop", said=f"Who is {KEY}", details={"key": [KEY]}, request=f"GET /{KEY}"),
        ExitRun(f"Nothing for {KEY}"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_the_code_of_an_app_stops_with_says_no_secret(error):
    with pytest.raises(type(error)) as raised, context().mask_errors():
        raise error

    told = f"{raised.value} {vars(raised.value)} {raised.value!r}"
    assert KEY not in told
    assert MASK in told


async def ids_with_keys(ctx: Context) -> None:
    for number in (2, 1):
        ctx.push_trigger_item({"number": number}, f"https://shop.example/{number}?key={KEY}")


async def test_ids_of_events_are_kept_without_secrets_and_still_known():
    first = await collect_items(ids_with_keys, context())
    known = frozenset({str(first[1].internal_id)})
    later = await collect_items(ids_with_keys, context(known_ids=known))

    assert [item.internal_id for item in first] == [
        f"https://shop.example/{number}?key={MASK}" for number in (2, 1)
    ]
    assert later == first[:1]


async def test_an_id_that_holds_a_secret_is_looked_up_as_it_is_kept():
    async def known(ids):
        return frozenset(ids) & {f"1?{MASK}"}

    ctx = context(find_seen_ids=known, execution=CurrentExecution(id=ExecutionId("e")))

    assert await ctx.seen([f"1?{KEY}", f"2?{KEY}"]) == {f"1?{KEY}"}


@pytest.mark.parametrize("number", ["123456789", "1700000000:123456789", "1234567|2026-01-01 12:00"])
async def test_an_id_that_is_made_of_mere_numbers_is_left_as_it_is(number):
    async def run(ctx: Context) -> None:
        ctx.push_trigger_item({}, number)

    ctx = Context(app=APP, auth=CurrentAuth(data={"password": "1234567"}))

    assert [item.internal_id for item in await collect_items(run, ctx)] == [number]


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "Cookie",
        "X-Gitlab-Token",
        "X-Hub-Signature-256",
        "Stripe-Signature",
        "X-Access-Key",
        "X-Webhook-Key",
        "X-Auth",
        "X-Api-Sign",
        "Paypal-Transmission-Sig",
        "CF-Access-Jwt-Assertion",
    ],
)
def test_headers_that_prove_who_calls_are_hidden(name):
    assert without_credentials({name: KEY}) == {name.lower(): MASK}


@pytest.mark.parametrize(
    "name", ["X-Event-Key", "Idempotency-Key", "X-Author", "X-Signal", "X-GitHub-Delivery", "Content-Type"]
)
def test_headers_that_flows_decide_by_are_kept(name):
    assert without_credentials({name: "value"}) == {name.lower(): "value"}


def test_a_name_that_was_given_is_hidden_too():
    assert without_credentials({"X-Sender": KEY}, "x-sender ") == {"x-sender": MASK}


@pytest.mark.parametrize("before", range(1_970, 2_001, 5))
def test_a_secret_at_the_end_of_what_is_kept_of_an_answer_is_not_cut_in_two(before):
    answer = Response(
        status=500, reason="", headers={}, content=f"{'x' * before}{KEY}".encode(), url="", app="Shop"
    )

    error = error_from_response(answer, "GET /", Masker([KEY]), 0)

    assert KEY[:1] not in str(error.details)
    assert KEY[:4] not in str(vars(error))


async def test_secrets_that_were_renewed_meanwhile_are_hidden_too():
    ctx = context()
    ctx.set_action_item(KEY)
    await ctx.auth.set(pin="another-0123456789")

    ctx.set_action_item("it is another-0123456789 now")

    assert ctx.action_output == f"it is {MASK} now"


def test_a_long_text_without_a_secret_is_looked_through_quickly():
    """A file that is sent to a webhook arrives as 14 MB of base64 in one text."""
    masker = Masker(["sk-live-0123456789", "open-sesame", "pass:wörd"])
    text = "QUJD" * 3_500_000
    began = time.monotonic()

    assert masker.text(text) is text
    assert not masker.contains_secret(text)
    assert time.monotonic() - began < 5
    assert masker.text(text + "open-sesame").endswith("QUJD•••")


def test_a_secret_cut_by_the_length_of_an_error_is_hidden():
    """The beginning of a secret isn't recognised, so that it must be hidden before the text is cut."""
    for length in range(MAX_MESSAGE_LENGTH - len(KEY), MAX_MESSAGE_LENGTH + 1):
        words = "x" * length + KEY
        error = oauth_messages.sign_in_error("Shop", "invalid_grant", words, Masker([KEY]))

        assert KEY[:4] not in error.text()
        assert KEY[:4] not in str(error.details)


def test_only_the_secrets_of_the_connection_of_the_step_are_hidden():
    """Otherwise output would tell, of any guess, whether some connection has that password."""
    guesses = [KEY, "password of another connection"]

    ctx = context()
    ctx.set_action_item({"guesses": list(guesses)})
    without = Context(app=APP)
    without.set_action_item({"guesses": list(guesses)})

    assert ctx.action_output == {"guesses": [MASK, guesses[1]]}
    assert without.action_output == {"guesses": guesses}


def test_hiding_takes_time_for_the_text_not_for_the_text_times_the_secret():
    secret = "a" * 16_000 + "b"
    text = "a" * 300_000 + secret
    began = time.thread_time()

    assert Masker([secret]).text(text) == "a" * 300_000 + MASK
    assert time.thread_time() - began < 1
