"""What the code of an app says while a connection is checked is kept and shown: without its secrets."""

import pytest

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import App, Auth, Context, api_key_fields
from patchbay.integration.context import CurrentAuth
from patchbay.integration.masking import MASK
from patchbay.service.verification import find_credentials_problem, verified

KEY = "planted-0123456789"


async def refuse(ctx: Context) -> None:
    raise ThirdPartyError(app="Shop", said=f"Who is {ctx.auth.data['apiKey']}?", status=401)


async def refuse_again(ctx: Context) -> bool:
    await refuse(ctx)
    return True


def context() -> Context:
    auth = Auth(fields=api_key_fields(), verify_credentials=refuse, is_still_verified=refuse_again)
    return Context(
        app=App(name="Shop", key="shop", auth=auth, supports_connections=True),
        auth=CurrentAuth(data={"apiKey": KEY}),
    )


async def test_a_refusal_of_new_credentials_does_not_quote_them():
    with pytest.raises(ThirdPartyError) as refused:
        await verified(context())

    assert refused.value.said == f"Who is {MASK}?"
    assert KEY not in refused.value.text()


async def test_why_a_connection_is_not_accepted_any_more_is_reported_without_its_key():
    told = await find_credentials_problem(context())

    assert told is not None
    assert told.startswith(f"Shop returned “Who is {MASK}?”")
    assert KEY not in told
