"""`patchbay app …`"""

import argparse

from patchbay.cli import lookup, output
from patchbay.domain.backend import Backend


async def run(backend: Backend, options: argparse.Namespace) -> int:
    return await (_list if options.action == "list" else _show)(backend, options)


async def _list(backend: Backend, options: argparse.Namespace) -> int:
    apps = await backend.list_apps()
    rows = [(app.key, app.name, app.broken or app.description) for app in apps]
    document = [app.model_copy(update={"icon_svg": "", "docs_markdown": ""}).wire() for app in apps]
    output.data(document, as_json=options.json, text=output.table(("KEY", "NAME", "ABOUT"), rows))
    return 0


async def _show(backend: Backend, options: argparse.Namespace) -> int:
    app = await lookup.app(backend, options.key)
    fields = [f"  field    {item.key}: {item.label}" for item in (app.auth.fields if app.auth else ())]
    triggers = [f"  trigger  {item.key}: {item.name}" for item in app.triggers or ()]
    actions = [f"  action   {item.key}: {item.name}" for item in app.actions or ()]
    text = "\n".join([f"{app.name} ({app.key})", *fields, *triggers, *actions])
    output.data(app.wire(), as_json=options.json, text=text)
    return 0
