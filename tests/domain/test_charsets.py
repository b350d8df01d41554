"""Character sets named by strangers: an allow-list whose codecs are all linear."""

import codecs
import time

import pytest

from patchbay.domain import charsets
from patchbay.domain.charsets import (
    UnknownCharset,
    charset_from_content_type,
    codec_for,
    decode,
    decode_leniently,
)

HARMFUL = (
    "punycode",
    "idna",
    "undefined",
    "unicode_escape",
    "unicode-escape",
    "raw_unicode_escape",
    "rot13",
    "rot_13",
    "zlib",
    "zlib_codec",
    "bz2",
    "base64",
    "base64_codec",
    "hex",
    "hex_codec",
    "quopri",
    "uu",
    "uu_codec",
    "utf-7",
    "utf_7",
    "mbcs",
    "oem",
    "unknown",
    "x" * 10_000,
    "utf-8\x00",
    "../utf_8",
)
AWKWARD = (b"a", b"\xff", b"\x80", b"\x81", b"\xd8\x00", b"\x1b", b"\x1b$B", b"~", b"+", b"\x0e\x0f", b"-")


@pytest.mark.parametrize("name", HARMFUL)
def test_other_codecs_of_python_are_not_reached(name):
    assert codec_for(name) is None
    with pytest.raises(UnknownCharset):
        decode(b"a" * 100, name)
    assert decode_leniently("ä".encode(), name) == "ä"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "é"),
        ("UTF-8", "é"),
        ('"utf-8"', "é"),
        ("ISO-8859-1", "é"),
        ("iso-8859-15", "€"),
        ("Windows-1252", "€"),
        ("windows-1251", "Ж"),
        ("utf-16", "é"),
        ("Shift_JIS", "日"),
        ("gb18030", "中"),
        ("gb2312", "中"),
        ("koi8-r", "Ж"),
        ("EUC-KR", "한"),
        ("big5", "中"),
        ("iso-2022-jp", "日"),
    ],
)
def test_character_sets_in_use_are_decoded(name, text):
    codec = codec_for(name)
    assert codec is not None
    raw = text.encode(codec)

    assert decode(raw, name) == decode_leniently(raw, name) == text


def test_every_allowed_codec_exists_and_is_fast_with_awkward_input():
    began = time.monotonic()
    for codec in sorted(set(charsets._CODECS.values())):
        assert codecs.lookup(codec)
        for piece in AWKWARD:
            decode_leniently(piece * (200_000 // len(piece)), codec)

    assert time.monotonic() - began < 30


def test_bytes_outside_a_single_byte_set_are_replaced():
    assert decode_leniently(b"a\x81b", "windows-1252") == "a\N{REPLACEMENT CHARACTER}b"
    with pytest.raises(UnicodeDecodeError):
        decode(b"\x81", "windows-1252")


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/plain", ""),
        ("text/plain; charset=utf-8", "utf-8"),
        ('text/plain;a=b ;Charset = "UTF-16"', "utf-16"),
        ("text/plain; xcharset=utf-8", ""),
        ("text/plain; charset=", ""),
        ("text/plain; charset='koi8-r'; x=y", "koi8-r"),
        ("text/plain" + ";" * 30_000, ""),
        ("text/plain;" + " " * 30_000, ""),
        ("x; charset=" + "y" * 99, "y" * 41),
    ],
)
def test_the_charset_is_read_from_a_content_type(content_type, charset):
    assert charset_from_content_type(content_type) == charset
