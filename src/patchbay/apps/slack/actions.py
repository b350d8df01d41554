"""Actions."""

from html import escape

from patchbay.domain.base import JsonObject
from patchbay.integration import YES_NO, Action, Context, dropdown, request_action, text
from patchbay.integration.values import as_bool, text_of

from .auth.tokens import AS_BOT

_MESSAGE = text(
    "message", "Message", required=True, multiline=True, description="Can contain Slack's mrkdwn formatting."
)
_ESCAPE = dropdown(
    "escape",
    "Escape &, <, and >",
    YES_NO,
    value=False,
    description="Yes: values from earlier steps can't become links, or mentions such as @channel. "
    "Formatting with *, _, and ~ still works.",
)
_SEND_AS_BOT = dropdown(
    "sendAsBot",
    "Send as bot",
    YES_NO,
    value=False,
    variables=True,
    more_fields="listFieldsAfterSendAsBot",
    description="No: the message is sent as the connected user.",
)

find_message = request_action(
    key="findMessage",
    name="Find message",
    description="Finds the first message that matches a search. Outputs nothing if there is none.",
    arguments=(
        text("query", "Search", required=True, placeholder="in:#general from:@ada invoice"),
        dropdown(
            "sortBy",
            "Sort by",
            (("score", "Relevance"), ("timestamp", "Date")),
            required=True,
            value="score",
            variables=True,
        ),
        dropdown(
            "sortDirection",
            "Order",
            (("desc", "Newest or most relevant first"), ("asc", "Oldest or least relevant first")),
            required=True,
            value="desc",
            variables=True,
        ),
    ),
    request="/search.messages",
    query={"query": "{query}", "sort": "{sortBy}", "sort_dir": "{sortDirection}", "count": 1},
    output="messages.matches.0",
)

find_user_by_email = request_action(
    key="findUserByEmail",
    name="Find user by email",
    description="Finds the member of the workspace with an email address.",
    arguments=(text("email", "Email", required=True),),
    request="/users.lookupByEmail",
    query={"email": "{email}"},
    output="user",
)


async def _send(ctx: Context, recipient: str) -> None:
    """Send the message to a channel or user; as the bot, with its name and icon."""
    parameters = ctx.parameters
    as_bot = as_bool(parameters.get("sendAsBot"))
    content = text_of(parameters, "message")
    if as_bool(parameters.get("escape")):
        content = escape(content, quote=False)
    message: JsonObject = {"channel": text_of(parameters, recipient), "text": content}
    if as_bot:
        icon = text_of(parameters, "botIcon").strip()
        icon_key = "icon_url" if icon.startswith(("https://", "http://")) else "icon_emoji"
        message |= {"username": text_of(parameters, "botName"), icon_key: icon}
    filled = {key: value for key, value in message.items() if value}
    response = await ctx.http.post("/chat.postMessage", json=filled, extra={AS_BOT: as_bot})
    ctx.set_action_item(response.json())


async def _send_to_channel(ctx: Context) -> None:
    await _send(ctx, "channel")


async def _send_to_user(ctx: Context) -> None:
    await _send(ctx, "toUsername")


send_message_to_channel = Action(
    key="sendMessageToChannel",
    name="Send message to channel",
    description="Sends a message to a channel, as the connected user or as the bot.",
    arguments=(
        dropdown("channel", "Channel", source="listChannels", required=True, variables=True),
        _MESSAGE,
        _ESCAPE,
        _SEND_AS_BOT,
    ),
    run=_send_to_channel,
)

send_direct_message = Action(
    key="sendDirectMessage",
    name="Send direct message",
    description="Sends a message to a member of the workspace.",
    arguments=(
        dropdown("toUsername", "Recipient", source="listUsers", required=True, variables=True),
        _MESSAGE,
        _ESCAPE,
        _SEND_AS_BOT,
    ),
    run=_send_to_user,
)
