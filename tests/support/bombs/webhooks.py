"""Bodies that make a careless reader of webhooks work for seconds, or fail: up to the accepted size."""

KB = 1024
MB = 1024 * KB
FULL = MB - KB
"""Just below the limit of bodies for the interface."""
LARGE = 10 * MB - 64 * KB
"""Just below the limit of webhooks."""

Bomb = tuple[dict[str, str], bytes]
"""Headers and body."""

_JSON = {"content-type": "application/json"}
_FORM = {"content-type": "application/x-www-form-urlencoded"}
_PARTS = {"content-type": "multipart/form-data; boundary=b"}
_DISPOSITION = b'--b\r\nContent-Disposition: form-data; name="a"'


def _filled(piece: bytes, size: int = FULL) -> bytes:
    return piece * (size // len(piece))


def _text(charset: str, piece: bytes = b"a", size: int = FULL) -> Bomb:
    return {"content-type": f"text/plain; charset={charset}"}, _filled(piece, size)


def _parts(piece: bytes, size: int = LARGE, *, closed: bool = True) -> Bomb:
    return _PARTS, _filled(piece, size) + (b"\r\n--b--\r\n" if closed else b"")


def _field(content: bytes, more: bytes = b"") -> Bomb:
    """A form with one part."""
    return _PARTS, _DISPOSITION + more + b"\r\n\r\n" + content + b"\r\n--b--\r\n"


CHARSETS: dict[str, Bomb] = {
    f"charset {name}": _text(name)
    for name in (
        "punycode",
        "idna",
        "undefined",
        "unicode_escape",
        "raw_unicode_escape",
        "rot13",
        "zlib",
        "bz2",
        "base64",
        "hex",
        "quopri",
        "uu",
        "utf-7",
        "mbcs",
        "oem",
        "palmos",
        "no-such-charset",
    )
} | {
    "charset with a long name": _text("x" * 5000),
    "charset punycode with digits": _text("punycode", b"a-9"),
    "charset utf-16 of surrogates": _text("utf-16-be", b"\xd8\x00"),
    "charset windows-1252 of undefined bytes": _text("windows-1252", b"\x81"),
    "charset iso-2022-jp of escapes": _text("iso-2022-jp", b"\x1b"),
    "charset gb18030 of halves": _text("gb18030", b"\x81\x30"),
    "content type of semicolons": ({"content-type": "text/plain" + ";" * 20_000}, b"a"),
    "content type of charsets": ({"content-type": "text/plain" + ";charset=" * 3000}, b"a"),
    "content type of quotes": ({"content-type": 'text/plain;charset="' + '\\"' * 10_000}, b"a"),
}

LARGE_JSONS: dict[str, Bomb] = {
    "large json of as many values as are allowed": (_JSON, b"[" + b"1," * 400_000 + b"1]"),
    "large json of objects": (_JSON, b"[" + _filled(b'{"a":"' + b"x" * 44 + b'"},', LARGE - 4) + b"1]"),
    "large json of empty objects": (_JSON, b"[" + _filled(b"{},", LARGE - 4) + b"{}]"),
    "large json of one number": (_JSON, b"9" * LARGE),
    "large json of escapes": (_JSON, b'"' + _filled(b"\\u00e9", LARGE - 8) + b'"'),
    "large json of one key": (_JSON, b"{" + _filled(b'"a":1,', LARGE - 16) + b'"a":1}'),
}
"""What webhooks take and the interface doesn't."""

JSONS: dict[str, Bomb] = {
    "json of empty lists": (_JSON, b"[" + _filled(b"[],", FULL - 4) + b"[]]"),
    "json of empty objects": (_JSON, b"[" + _filled(b"{},", FULL - 4) + b"{}]"),
    "json of numbers": (_JSON, b"[" + _filled(b"1,", FULL - 4) + b"1]"),
    "json of floats": (_JSON, b"[" + _filled(b"1e9,", FULL - 4) + b"1]"),
    "json of long numbers": (_JSON, b"[" + _filled(b"9" * 4290 + b",", FULL - 4) + b"1]"),
    "json with a number of 5,000 digits": (_JSON, b"[" + b"9" * 5000 + b"]"),
    "json with a number of a megabyte": (_JSON, b"9" * FULL),
    "json with digits after the point": (_JSON, b"0." + b"9" * FULL),
    "json nested in lists": (_JSON, _filled(b"[")),
    "json nested in objects": (_JSON, _filled(b'{"a":')),
    "json of escapes": (_JSON, b'"' + _filled(b"\\u00e9", FULL - 8) + b'"'),
    "json of half pairs": (_JSON, b'"' + _filled(b"\\ud800", FULL - 8) + b'"'),
    "json of one key": (_JSON, b"{" + _filled(b'"a":1,', FULL - 16) + b'"a":1}'),
    "json of many keys": (_JSON, b"{" + b",".join(b'"%d":0' % n for n in range(80_000)) + b"}"),
    "json of blanks": (_JSON, _filled(b" ")),
    "json of 100 levels everywhere": (
        _JSON,
        b"[" + _filled(b"[" * 99 + b"]" * 99 + b",", FULL - 4) + b"1]",
    ),
}

FORMS: dict[str, Bomb] = {
    "form of ampersands": (_FORM, _filled(b"&")),
    "form of many fields": (_FORM, _filled(b"a&")),
    "form of one field many times": (_FORM, _filled(b"a=1&")),
    "form of escapes": (_FORM, b"a=" + _filled(b"%41")),
    "form of broken escapes": (_FORM, b"a=" + _filled(b"%")),
    "form of plus signs": (_FORM, b"a=" + _filled(b"+")),
    "form of invalid utf-8": (_FORM, b"a=" + _filled(b"%ff")),
    "form in punycode": ({"content-type": f"{_FORM['content-type']}; charset=punycode"}, _filled(b"a")),
}

MULTIPARTS: dict[str, Bomb] = {
    "multipart of empty parts": _parts(b"--b\r\n\r\n\r\n"),
    "multipart of tiny fields": _parts(_DISPOSITION + b"\r\n\r\n1\r\n"),
    "multipart of tiny files": _parts(
        b'--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\n1\r\n'
    ),
    "multipart of delimiters": _parts(b"\r\n--b"),
    "multipart of almost delimiters": _field(_filled(b"\r\n--bX", LARGE)),
    "multipart of line breaks": _field(_filled(b"\r\n", LARGE)),
    "multipart of line breaks and hyphens": _field(_filled(b"\r\n-", LARGE)),
    "multipart of carriage returns": _field(_filled(b"\r", LARGE)),
    "multipart with a header of megabytes": (_PARTS, b"--b\r\nX: " + _filled(b"x", LARGE) + b"\r\n--b--\r\n"),
    "multipart of headers": (_PARTS, b"--b\r\n" + _filled(b"a:b\r\n", LARGE) + b"\r\n--b--\r\n"),
    "multipart of parameters": (
        _PARTS,
        b"--b\r\nContent-Disposition: form-data" + b';name="' * 1100 + b"\r\n\r\n1\r\n--b--\r\n",
    ),
    "multipart of parts with parameters": _parts(
        b"--b\r\nContent-Disposition: form-data; name=a" + b';x="' * 1900 + b"\r\n\r\n1\r\n"
    ),
    "multipart without its end": _parts(_DISPOSITION + b"\r\n\r\n" + b"x" * 9000, closed=False),
    "multipart cut in a boundary": (
        _PARTS,
        _DISPOSITION + b"\r\n\r\n1\r\n--b",
    ),
    "multipart in punycode": (
        {"content-type": "multipart/form-data; boundary=b; charset=punycode"},
        _DISPOSITION + b"\r\n\r\n" + _filled(b"a", LARGE) + b"\r\n--b--\r\n",
    ),
    "multipart with a part in punycode": _field(
        _filled(b"a", LARGE), b"\r\nContent-Type: text/plain; charset=punycode"
    ),
    "multipart with a boundary of 20 KB": (
        {"content-type": "multipart/form-data; boundary=" + "b" * 20_000},
        _filled(b"--" + b"b" * 19_999, LARGE),
    ),
    "multipart with a file of 10 MB": _field(_filled(b"\0", LARGE), b'; filename="f"'),
    "multipart with a field of 10 MB": _field(_filled(b"x", LARGE)),
    "multipart with a field of invalid utf-8": _field(_filled(b"\xff", LARGE)),
}

OTHERS: dict[str, Bomb] = {
    "compressed": ({"content-encoding": "gzip", **_JSON}, _filled(b"\x1f\x8b")),
    "a header of names": ({"x-" + "token" * 4000: "1"}, b"{}"),
    "a header of hyphens": ({"x" + "-" * 20_000: "1"}, b"{}"),
    "an id of 30 KB": ({"webhook-id": "x" * 30_000}, b"{}"),
    "a number as the time of a signature": (
        {"webhook-timestamp": "9" * 20_000, "webhook-signature": "v1,x"},
        b"{}",
    ),
    "a time of Stripe": ({"stripe-signature": f"t={'9' * 20_000},v1=x"}, b"{}"),
    "signatures without end": ({"webhook-timestamp": "1", "webhook-signature": "v1,x," * 5000}, b"{}"),
    "binary": ({"content-type": "application/octet-stream"}, _filled(b"\xff\x00")),
    "xml of entities": (
        {"content-type": "application/xml"},
        b'<!DOCTYPE a [<!ENTITY b "b">]><a>' + _filled(b"&b;", FULL - 64) + b"</a>",
    ),
}

BODIES: dict[str, Bomb] = {**CHARSETS, **JSONS, **LARGE_JSONS, **FORMS, **MULTIPARTS, **OTHERS}
"""All of them, by what they are."""
