"""Signing in on another device (RFC 8628): a person types a code there while we keep asking."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ThirdPartyError, TimedOut
from patchbay.integration.context import Context
from patchbay.integration.oauth_protocol import error_code

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
USUAL_INTERVAL = 5
SLOWER = 5
"""Seconds added to the interval each time the service says that it is asked too often."""
USUAL_LIFE = 600
_MOST_SECONDS = 10**13
"""Also of times in milliseconds; a number that is larger, or infinite, is no time."""

Ask = Callable[[dict[str, str]], Awaitable[JsonObject]]


def asked(ctx: Context, answer: Mapping[str, Any]) -> JsonObject:
    """Auth data for a sign-in by code: what the person is shown, and what is asked with."""
    page = answer.get("verification_uri") or answer.get("verification_url")
    if not (page and answer.get("user_code") and answer.get("device_code")):
        raise ThirdPartyError(
            app=ctx.app.name, said="", meaning="It gave no code to sign in with.",
            todo="Check that the device address is that of the service.",
        )  # fmt: skip
    life = _seconds(answer.get("expires_in"), USUAL_LIFE)
    return {
        "url": str(answer.get("verification_uri_complete") or page),
        "verificationUrl": str(page),
        "userCode": str(answer["user_code"]),
        "deviceCode": str(answer["device_code"]),
        "pollInterval": _seconds(answer.get("interval"), USUAL_INTERVAL),
        "deviceExpiresAt": ctx.now + life * 1000,
    }


async def granted(ctx: Context, ask: Ask) -> JsonObject:
    """Ask until the person agreed or refused, or the code is no longer valid."""
    data = ctx.auth.data
    form = {"grant_type": GRANT, "device_code": str(data["deviceCode"])}
    interval = _seconds(data.get("pollInterval"), USUAL_INTERVAL)
    left = (_seconds(data.get("deviceExpiresAt"), ctx.now) - ctx.now) / 1000
    try:
        async with asyncio.timeout(left):
            while True:
                await asyncio.sleep(interval)
                answer = await _asked_once(ask, form)
                if isinstance(answer, dict):
                    return answer
                interval += answer
    except TimeoutError:
        raise TimedOut(
            f"The code for {ctx.app.name} was not entered in time.", todo="Begin the sign-in again."
        ) from None


async def _asked_once(ask: Ask, form: dict[str, str]) -> JsonObject | int:
    """The tokens, or by how many seconds the interval grows until the next question."""
    try:
        return await ask(dict(form))
    except ThirdPartyError as error:
        code = error_code(error)
        if code == "authorization_pending":
            return 0
        if code == "slow_down":
            return SLOWER
        raise


def _seconds(value: Json, usual: int) -> int:
    return int(min(value, _MOST_SECONDS)) if isinstance(value, (int, float)) and value > 0 else usual
