"""Character sets accepted in data from outside: an allow-list, because Python's codec registry is unsafe for
that.

`bytes.decode` with a name from outside reaches every registered codec: `punycode` and `idna` need quadratic
time, `undefined` always raises, `unicode_escape` interprets the text, and `rot13` or `zlib` aren't character
sets at all. Each codec below needs time and memory proportional to its input.
"""

import codecs
import functools
import re

_NAMES = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 utf-8-sig",
    "utf-16": "utf-16 utf16",
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
    "utf-32": "utf-32",
    "utf-32-le": "utf-32le",
    "utf-32-be": "utf-32be",
    "ascii": "us-ascii ascii ansi-x3.4-1968 iso646-us 646",
    "latin-1": "iso-8859-1 iso8859-1 latin-1 latin1 l1 cp819",
    **{f"iso8859-{part}": f"iso-8859-{part} iso8859-{part}" for part in (*range(2, 11), 13, 14, 15, 16)},
    **{f"cp{page}": f"windows-{page} cp{page} cp-{page} x-cp{page}" for page in range(1250, 1259)},
    **{f"cp{page}": f"cp{page} ibm{page}" for page in (437, 850, 852, 855, 857, 858, 862, 866, 869)},
    "cp874": "windows-874 cp874",
    "tis-620": "tis-620 iso-8859-11",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "mac-roman": "macintosh mac-roman x-mac-roman",
    "cp932": "shift-jis sjis x-sjis ms-kanji windows-31j cp932 ms932",
    "euc_jp": "euc-jp eucjp x-euc-jp",
    "iso2022_jp": "iso-2022-jp",
    "iso2022_jp_2": "iso-2022-jp-2",
    "iso2022_kr": "iso-2022-kr",
    "gb18030": "gb2312 gbk gb18030 x-gbk cp936 euc-cn gb-2312-80",
    "cp950": "big5 big-5 cn-big5 x-x-big5 cp950",
    "big5hkscs": "big5-hkscs big5hkscs",
    "cp949": "euc-kr ks-c-5601-1987 ksc5601 cp949 windows-949 uhc",
}
"""Codecs of Python, and the names under which they are sent (RFC 2978, WHATWG Encoding)."""

_CODECS = {"": "utf-8", **{name: codec for codec, names in _NAMES.items() for name in names.split()}}
_LONGEST_NAME = 40
_SINGLE_BYTE = ("iso8859-", "cp12", "cp4", "cp8", "koi8-", "tis-620", "mac-roman", "latin-1")


_PARAMETER = re.compile(r""";[ \t]*charset[ \t]*=[ \t]*["']?([^\s;,"']{1,41})""", re.IGNORECASE)
"""Takes one character more than a name may have, so that a longer name isn't cut to a valid one."""


class UnknownCharset(ValueError):
    """The character set isn't on the allow-list."""


def charset_from_content_type(content_type: str) -> str:
    """The character set that a Content-Type header names, in lower case; empty when it names none.

    Linear in the header's length, unlike the parser of the `email` package.
    """
    found = _PARAMETER.search(content_type)
    return found[1].lower() if found else ""


def codec_for(charset: str) -> str | None:
    """The Python codec for a character set; None if it isn't on the allow-list.

    An empty name means UTF-8.
    """
    if len(charset) > _LONGEST_NAME:
        return None
    return _CODECS.get(charset.strip(" \t\"'").lower().replace("_", "-"))


def decode(raw: bytes, charset: str) -> str:
    """Decode bytes strictly.

    Raises `UnknownCharset` for a character set that isn't allowed, and `UnicodeDecodeError` for bytes that
    don't fit it.
    """
    codec = codec_for(charset)
    if codec is None:
        raise UnknownCharset(f"The character set “{charset[:_LONGEST_NAME]}” isn't supported.")
    return raw.decode(codec)


def decode_text_file(raw: bytes) -> str:
    """Decode a text file strictly: as its byte order mark says (UTF-8, UTF-16), otherwise as UTF-8.

    Editors and shells on Windows write all three. Raises `UnicodeDecodeError`.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16")
    return raw.decode("utf-8-sig")


def decode_leniently(raw: bytes, charset: str) -> str:
    """Decode bytes, with � for invalid ones; an unknown character set is read as UTF-8."""
    codec = codec_for(charset) or "utf-8"
    if codec.startswith(_SINGLE_BYTE):
        # Python's "replace" builds an exception per byte for these: 100 times slower than a table.
        return codecs.charmap_decode(raw, "strict", _table(codec))[0]
    return raw.decode(codec, "replace")


@functools.cache
def _table(codec: str) -> str:
    """The character for each byte of a single-byte codec."""
    return bytes(range(256)).decode(codec, "replace")
