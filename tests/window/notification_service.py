"""A notification service for the session bus of a test: it notes what it shows, and clicks what it shall.

Arguments: the file to note each notification in, as JSON, and a pipe that says which button to click.
"""

import asyncio
import json
import os
import sys
from typing import TextIO

import jeepney
from jeepney.io.asyncio import open_dbus_router

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


async def main(noted: TextIO, clicks: str) -> None:
    async with open_dbus_router() as bus:
        await bus.send_and_get_reply(jeepney.message_bus.RequestName(NAME))
        number = 0
        asyncio.get_running_loop().add_reader(
            pipe := os.open(clicks, os.O_RDWR), lambda: asked.put_nowait(os.read(pipe, 100).decode())
        )
        asked: asyncio.Queue[str] = asyncio.Queue()
        rule = jeepney.MatchRule(type="method_call", interface=NAME)
        with bus.filter(rule, queue=asyncio.Queue()) as calls:
            while True:
                call = await calls.get()
                match call.header.fields[jeepney.HeaderFields.member]:
                    case "GetCapabilities":
                        await bus.send(jeepney.new_method_return(call, "as", (["actions", "body"],)))
                    case "Notify":
                        number += 1
                        await bus.send(jeepney.new_method_return(call, "u", (number,)))
                        print(json.dumps([number, *call.body[3:6]]), file=noted, flush=True)
                        if call.body[5]:
                            key = await asked.get()
                            emitter = jeepney.DBusAddress(PATH, interface=NAME)
                            signal = jeepney.new_signal(emitter, "ActionInvoked", "us", (number, key))
                            await bus.send(signal)
                    case _:
                        await bus.send(jeepney.new_method_return(call, None, ()))


with open(sys.argv[1], "a", encoding="utf-8") as file:
    asyncio.run(main(file, sys.argv[2]))
