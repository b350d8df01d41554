"""Multipart forms: what is read, and what is refused because it may have been cut off or read in two ways."""

import pytest

from patchbay.server.request_bodies import MultipartError, header_parameters, parse_multipart

KIND = "multipart/form-data; boundary=b"


def part(content: bytes, disposition: str = 'form-data; name="a"', *more: str) -> bytes:
    lines = [f"Content-Disposition: {disposition}", *more, "", ""]
    return b"--b\r\n" + "\r\n".join(lines).encode() + content + b"\r\n"


def parsed(body: bytes, kind: str = KIND) -> list[tuple[str, str | None, bytes]]:
    return [(one.name, one.filename, one.content) for one in parse_multipart(body, kind)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (part(b"1") + part(b"2") + b"--b--", [("a", None, b"1"), ("a", None, b"2")]),
        (part(b"") + b"--b--\r\n", [("a", None, b"")]),
        (b"preamble\r\n" + part(b"1") + b"--b--\r\nepilogue", [("a", None, b"1")]),
        (part(b"x\r\n--bX\r\n--c--\r\n") + b"--b--", [("a", None, b"x\r\n--bX\r\n--c--\r\n")]),
        (part(b"\r\n\r\n") + b"--b--", [("a", None, b"\r\n\r\n")]),
        (part(b"1").replace(b"--b\r\n", b"--b \t\r\n") + b"--b--", [("a", None, b"1")]),
        (part(b"1", 'form-data; name="a"; filename="x;\\"z\\".txt"') + b"--b--", [("a", 'x;"z".txt', b"1")]),
        (part(b"1", "form-data; name=a; filename=") + b"--b--", [("a", "", b"1")]),
        (part(b"1", "form-data; name=\"ü\"; filename*=utf-8''x") + b"--b--", [("ü", None, b"1")]),
        (b"--b--\r\n", []),
    ],
)
def test_forms_are_read(body, found):
    assert parsed(body) == found


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"x",
        b"--b",
        b"--b\r\n",
        part(b"1"),
        part(b"1") + b"--b",
        part(b"1") + b"--b-",
        part(b"1") + part(b"2"),
        part(b"1")[:-2] + b"--b--",
        b"--b\r\n\r\n1\r\n--b--",
        b"--b\r\nnothing\r\n\r\n1\r\n--b--",
        part(b"1", "form-data") + b"--b--",
        part(b"1", 'form-data; name="a') + b"--b--",
        b"--bX\r\n--b--X",
        part(b"1", f'form-data; name="{"a" * 9000}"') + b"--b--",
        part(b"1") * 1001 + b"--b--",
        part(b"1", 'form-data; name="a"; filename="f"') * 1001 + b"--b--",
        b"--b x\r\n\r\n--b--",
    ],
)
def test_what_has_no_end_or_no_names_or_too_much_is_refused(body):
    with pytest.raises(MultipartError):
        parse_multipart(body, KIND)


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=" + "b" * 71,
        'multipart/form-data; boundary="b\u00e9"',
        'multipart/form-data; boundary="b',
    ],
)
def test_a_boundary_is_a_boundary(kind):
    with pytest.raises(MultipartError):
        parse_multipart(part(b"1") + b"--b--", kind)


def test_the_largest_form_is_read():
    forms = part(b"1") * 1000 + part(b"2", 'form-data; name="f"; filename="f"') * 1000 + b"--b--"

    assert len(parsed(forms)) == 2000


def test_the_first_parameter_of_a_name_counts():
    assert header_parameters('x; a=1; A=2; b="3"; broken') == {"a": "1", "b": "3"}
