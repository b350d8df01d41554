"""The security rules of our own: the program keeps them, and each of them can fail."""

import pytest
from tests.support import source_rules
from tests.support.source_rules import Source, broken_rules

BAD = {
    "sleep": ("blocking", "import time\nasync def f():\n    time.sleep(1)"),
    "sleep by another name": ("blocking", "from time import sleep as rest\nasync def f():\n    rest(1)"),
    "a process": ("blocking", "import subprocess\nasync def f():\n    subprocess.run(['a'])"),
    "a file": ("blocking", "async def f(path):\n    with open(path) as file:\n        pass"),
    "a path": ("blocking", "async def f(path):\n    return path.read_text()"),
    "a database": ("blocking", "import sqlite3\nasync def f():\n    sqlite3.connect('a')"),
    "a name": ("blocking", "import socket\nasync def f():\n    socket.getaddrinfo('a', 1)"),
    "a folder": ("blocking", "import shutil\nasync def f():\n    shutil.rmtree('a')"),
    "a key": ("blocking", "async def f(kdf, text):\n    return kdf.derive(text)"),
    "a helper": (
        "blocking",
        "def g(path):\n    return path.read_bytes()\nasync def f(path):\n    return g(path)",
    ),
    "a method": (
        "blocking",
        "class A:\n    def g(self):\n        open('a')\n    async def f(self):\n        self.g()",
    ),
    "decode": ("encoding", "def f(raw, charset):\n    return raw.decode(charset)"),
    "decode with errors": ("encoding", "def f(raw, charset):\n    return raw.decode(charset, 'replace')"),
    "decode by keyword": ("encoding", "def f(raw, charset):\n    return raw.decode(encoding=charset)"),
    "codecs": ("encoding", "import codecs\ndef f(raw, charset):\n    return codecs.decode(raw, charset)"),
    "str": ("encoding", "def f(raw, charset):\n    return str(raw, charset)"),
    "open": ("encoding", "def f(path, charset):\n    return open(path, encoding=charset)"),
    "pickle": ("forbidden", "import pickle"),
    "marshal": ("forbidden", "from marshal import loads"),
    "eval": ("forbidden", "def f(text):\n    return eval(text)"),
    "exec": ("forbidden", "def f(text):\n    exec(text)"),
    "yaml": ("forbidden", "import yaml\ndef f(text):\n    return yaml.load(text)"),
    "a shell": ("forbidden", "import subprocess\ndef f(text):\n    subprocess.run(text, shell=True)"),
    "mktemp": ("forbidden", "import tempfile\ntempfile.mktemp()"),
    "verify": ("forbidden", "import httpx\nhttpx.Client(verify=False)"),
    "XML": ("forbidden", "from xml.etree import ElementTree"),
    "an owning getter": ("ownership", "def f(widget):\n    return widget.focusProxy() is not None"),
    "an assertion": ("assert", "def f(key, wanted):\n    assert key == wanted"),
    "SQL": ("sql", "def f(tx, name):\n    tx.execute(f\"SELECT * FROM flow WHERE name = '{name}'\")"),
}

GOOD = {
    "asyncio": "import asyncio\nasync def f():\n    await asyncio.sleep(1)",
    "plain function": "import time\ndef f():\n    time.sleep(1)",
    "in a thread": "import asyncio\nasync def f(path):\n    return await asyncio.to_thread(path.read_text)",
    "inside": "async def f(path):\n    def g():\n        return path.read_text()\n    return g",
    "with a reason": "async def f(path):\n    open(path)  # allow blocking: one line, at start only",
    "reason above": "async def f(path):\n    # allow blocking: one line, at start only\n    open(path)",
    "decode": "def f(raw):\n    return raw.decode() + raw.decode('utf-8', 'replace') + str(raw, 'ascii')",
    "other decoders": "def f(decoder, raw, headers):\n    return decoder.decode(raw, headers)",
    "open": "def f(path):\n    return open(path, encoding='utf-8')",
    "saxutils": "from xml.sax.saxutils import escape",
    "types": "if TYPE_CHECKING:\n    from xml.etree.ElementTree import Element",
    "narrowing": "def f(a, b):\n    assert a is not None\n    assert isinstance(b, int)",
    "SQL": "def f(tx, name):\n    tx.execute(f'SELECT * FROM {TABLE} WHERE name = ?', (name,))",
    "words": "def f(name):\n    return f'Delete “{name}”?'",
}


def test_the_program_keeps_the_rules():
    assert list(broken_rules()) == []


@pytest.mark.parametrize(("rule", "text"), BAD.values(), ids=BAD)
def test_a_line_that_breaks_a_rule_is_found(rule: str, text: str):
    assert [finding.rule for finding in Source(text).findings()] == [rule]


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_a_line_that_keeps_the_rules_is_left_alone(text: str):
    assert Source(text).findings() == []


@pytest.mark.parametrize(
    "mark", ["# allow blocking:", "# allow blocking: ok", "# allow sql: it is short enough", "# noqa"]
)
def test_a_line_is_allowed_only_for_the_rule_it_names_and_with_a_reason(mark: str):
    text = f"async def f(path):\n    return path.read_text()  {mark}"

    assert [finding.rule for finding in Source(text).findings()] == ["blocking"]


def test_an_exception_that_nothing_needs_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(
        source_rules.EXCEPT, "encoding", {"domain/charsets.py": "", "gone.py": "a file that was removed"}
    )

    assert [line for line in broken_rules() if "gone.py" in line] == [
        "tests/support/source_rules.py: [encoding] the exception for gone.py isn't needed; remove it"
    ]
