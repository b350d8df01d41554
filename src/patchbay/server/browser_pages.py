"""HTML pages for browsers: one card each, without external assets, never cached."""

import base64
import hashlib
from html import escape

from starlette.responses import HTMLResponse

SUCCESS_MARK = "good"
ERROR_MARK = "ill"
NEUTRAL_MARK = "plain"
"""The colour at the top of a page: success, failure, or neither."""

_STYLE = """
:root { color-scheme: light dark; --window: #f4f5f8; --surface: #ffffff; --border: #e2e4ea; --text: #1a1c23;
  --quiet: #505564; --accent: #4353d0; --over: #3846bb; --link: #3a49c2; --inset: #f1f2f6; --good: #17714a;
  --ill: #be2733; --plain: #4353d0; --line: #868c9d; }
@media (prefers-color-scheme: dark) { :root { --window: #15161a; --surface: #1b1d22; --border: #2c2f37;
  --text: #e9eaee; --quiet: #b3b8c4; --accent: #4f5fdc; --over: #5868e2; --link: #a5b0ff; --inset: #23262c;
  --good: #63c99a; --ill: #ff9494; --plain: #8492ff; --line: #757b8b; } }
* { box-sizing: border-box; }
html { background: var(--window); }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
  background: var(--window); color: var(--text); font: 16px/1.5 Inter, system-ui, sans-serif; }
main { width: 100%; max-width: 30rem; padding: 1.75rem 2.25rem 2.25rem; background: var(--surface);
  border: 1px solid var(--border); border-top: 3px solid var(--mark); border-radius: 10px; }
.brand { margin: 0 0 1.25rem; color: var(--quiet); font-size: .875rem; font-weight: 600; }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.3; }
h2 { margin: 1.75rem 0 .25rem; font-size: 1rem; }
p, dl, ol { margin: .5rem 0 0; color: var(--quiet); }
b, dd, .text { color: var(--text); overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .375rem 1.25rem; margin-top: 1.25rem; }
dd { margin: 0; }
dd small { margin-top: 0; }
a { color: var(--link); overflow-wrap: anywhere; }
ol { padding-left: 1.25rem; }
li { margin-top: .375rem; }
small { display: block; margin-top: .75rem; color: var(--quiet); font-size: .875rem; }
button { font: inherit; font-weight: 600; padding: .5rem 1.25rem; border: 1px solid transparent;
  border-radius: 8px; background: var(--accent); color: #ffffff; cursor: pointer; }
button:hover { background: var(--over); }
button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
form button { margin-top: 1.5rem; width: 100%; }
button.second { margin-top: .5rem; padding: .25rem .75rem; font-size: .875rem; background: transparent;
  color: var(--link); border-color: var(--line); }
button.second:hover { background: var(--inset); }
[hidden] { display: none; }
code { font: .9375rem/1.5 ui-monospace, "JetBrains Mono", Consolas, monospace; color: var(--text); }
code.box { display: block; margin-top: .5rem; padding: .625rem .75rem; border: 1px solid var(--border);
  border-radius: 8px; background: var(--inset); overflow-wrap: anywhere; user-select: all; }
"""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>{title} · Patchbay</title><style>{style}</style></head>
<body><main style="--mark: var(--{mark})"><p class="brand">Patchbay</p><h1>{title}</h1>{body}</main>{script}
</body></html>
"""


def page(
    title: str,
    body: str,
    *,
    mark: str = NEUTRAL_MARK,
    status: int = 200,
    script: str = "",
    forms: bool = False,
) -> HTMLResponse:
    """An HTML page. `title` is text, `body` is HTML, `script` runs once the page has loaded.

    `forms`: allow the page to submit a form, to this server only.
    """
    filled = _PAGE.format(
        title=escape(title),
        body=body,
        mark=mark,
        style=_STYLE,
        script=f"<script>{script}</script>" if script else "",
    )
    return HTMLResponse(filled, status, _headers(script, forms))


def paragraph(text: str) -> str:
    """The text as an HTML paragraph; an empty string for an empty text."""
    return f"<p>{escape(text)}</p>" if text else ""


def _headers(script: str, forms: bool) -> dict[str, str]:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        f"script-src 'sha256-{digest}'" if script else "script-src 'none'",
        "form-action 'self'" if forms else "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "content-security-policy": "; ".join(policy),
    }
