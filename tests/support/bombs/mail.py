"""Messages made to stop their reader, and responses of mail servers that never end.

`MAILS` by name, as bytes with CRLF. `IMAP_FLOODS` by name, as (what comes first, what is repeated after it).
"""

HEAD = b"Message-ID: <bomb@example.test>\r\n"


def mail(*headers: bytes, body: bytes = b"boom\r\n") -> bytes:
    return b"\r\n".join((b"Subject: bomb", *headers, b"", body))


def nested_multiparts(levels: int) -> bytes:
    opened = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (level, level)
        for level in range(levels)
    )
    return b"Subject: bomb\r\n" + opened + b"\r\ninner\r\n"


def nested_messages(levels: int) -> bytes:
    return b"Subject: bomb\r\nContent-Type: message/rfc822\r\n\r\n" * levels + b"Subject: in\r\n\r\ninner\r\n"


def many_parts(count: int, kind: bytes = b"text/plain") -> bytes:
    part = b"--b\r\nContent-Type: " + kind + b"\r\n\r\nx\r\n"
    return mail(b"Content-Type: multipart/mixed; boundary=b", body=part * count + b"--b--\r\n")


def typed(value: bytes, body: bytes = b"boom\r\n") -> bytes:
    return mail(b"Content-Type: " + value, body=body)


ADDRESSES = {
    "4,000 open parentheses": b"(" * 4000,
    "200,000 open parentheses": b"(" * 200_000,
    "nested comments": b"(" * 3000 + b")" * 3000 + b" a@b.example",
    "50,000 quotes": b'"' * 50_000,
    "quotes with spaces": b'" ' * 50_000,
    "50,000 backslashes": b"\\" * 50_000,
    "quoted backslashes": b'"' + b"\\" * 100_001,
    "50,000 open angles": b"<" * 50_000,
    "angles and ats": b"<@" * 30_000,
    "50,000 commas": b"," * 50_000,
    "50,000 colons": b":" * 50_000,
    "groups": b"g:" * 20_000 + b";" * 20_000,
    "open brackets": b"a@[" * 20_000,
    "dots": b"." * 100_000 + b"@" + b"." * 100_000,
    "10,000 recipients": b", ".join(b"a%d@b.example" % number for number in range(10_000)),
    "one long recipient": b"a" * 200_000 + b"@b.example",
    "encoded words": b"=?utf-8?q?a?= " * 10_000,
    "open encoded words": b"=?utf-8?q?a" * 10_000,
    "encoded word of 200,000": b"=?utf-8?b?" + b"QUFB" * 50_000 + b"?=",
    "encoded words in punycode": b"=?punycode?q?" + b"a" * 50_000 + b"-b?= <a@b.example>",
    "question marks": b"=?" * 50_000,
    "folded 50,000 times": b"a\r\n " * 50_000,
    "white space": b" " * 200_000 + b"a@b.example",
    "control characters": bytes(range(1, 10)) * 5000 + b"\0" * 5000,
    "8 bit": b"\xff\xfe\x80" * 50_000,
}
"""Values of a header with addresses."""

PARAMETERS = {
    "200,000 semicolons": b"text/plain" + b";" * 200_000,
    "semicolons and quotes": b'text/plain; a="' + b'";' * 50_000,
    "quote and semicolons": b'text/plain; a="' + b";" * 200_000,
    "50,000 parameters": b"text/plain" + b"; a=b" * 50_000,
    "50,000 names": b"text/plain" + b"".join(b"; a%d=b" % number for number in range(50_000)),
    "continued 50,000 times": b"text/plain" + b"".join(b"; name*%d=b" % number for number in range(50_000)),
    "continuation of 10^300": b"text/plain; name*" + b"9" * 300 + b"=b",
    "percent": b"text/plain; name*=utf-8''" + b"%" * 200_000,
    "percent in punycode": b"text/plain; name*=punycode''" + b"a" * 100_000,
    "apostrophes": b"text/plain; name*=" + b"'" * 200_000,
    "slashes": b"/" * 200_000,
    "long type": b"a" * 200_000 + b"/" + b"b" * 200_000,
    "white space": b"text/plain;" + b" " * 200_000 + b"a=b",
    "parentheses": b"text/plain " + b"(" * 50_000,
    "equals signs": b"text/plain;" + b"=" * 200_000,
    "long boundary": b'multipart/mixed; boundary="' + b"x" * 100_000 + b'"',
    "empty boundary": b'multipart/mixed; boundary=""',
    "boundary of dots": b'multipart/mixed; boundary=".*.*.*.*.*(a+)+$"',
    "punycode": b"text/plain; charset=punycode",
    "idna": b"text/plain; charset=idna",
    "undefined": b"text/plain; charset=undefined",
    "unicode_escape": b"text/plain; charset=unicode_escape",
    "zlib": b"text/plain; charset=zlib",
    "rot13": b"text/plain; charset=rot13",
    "mbcs": b"text/plain; charset=mbcs",
    "NUL": b'text/plain; charset="\0"',
    "long charset": b"text/plain; charset=" + b"a" * 100_000,
}
"""Values of Content-Type."""

MAILS: dict[str, bytes] = {
    **{f"{name} in To": mail(b"To: " + value) for name, value in ADDRESSES.items()},
    **{f"{name} in From": mail(b"From: " + value) for name, value in ADDRESSES.items()},
    **{f"{name} in Subject": b"Subject: " + value + b"\r\n\r\nboom\r\n" for name, value in ADDRESSES.items()},
    **{f"{name} in Message-ID": mail(b"Message-ID: " + value) for name, value in ADDRESSES.items()},
    **{
        f"{name} in Date": mail(b"Date: " + value)
        for name, value in {
            **ADDRESSES,
            "year 99999": b"Mon, 2 Mar 99999 12:00:00 +0000",
            "zone of 10^30": b"Mon, 2 Mar 2026 12:00:00 +" + b"9" * 30,
            "day 0": b"Mon, 0 Mar 2026 25:61:61 +0000",
            "digits": b"9" * 100_000,
            "colons": b"1:" * 50_000,
        }.items()
    },
    **{f"{name} in Content-Type": typed(value, b"x-\xff" * 100_000) for name, value in PARAMETERS.items()},
    **{
        f"{name} in Content-Disposition": mail(b"Content-Disposition: attachment" + value[10:])
        for name, value in PARAMETERS.items()
    },
    "text/html with unclosed tags": typed(b"text/html", b"<a <a " * 50_000),
    "100,000 headers": mail(*[b"X-%d: y" % number for number in range(100_000)]),
    "100,000 equal headers": mail(*[b"Received: y"] * 100_000),
    "one header of 2 MB": mail(b"X-Long: " + b"y" * 2_000_000),
    "only a header": b"Subject: " + b"x" * 3_000_000,
    "colons only": b":\r\n" * 500_000,
    "header lines without end": b"a:b\n" * 500_000,
    "continuations only": b" a\r\n" * 500_000,
    "empty": b"",
    "NUL bytes": b"\0" * 1_000_000,
    "line breaks": b"\n" * 2_000_000,
    "carriage returns": b"\r" * 2_000_000,
    "From lines": b"From a@b.example\r\n" * 100_000,
    "nested multiparts": nested_multiparts(2000),
    "nested multiparts of one boundary": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" * 5000,
    "nested messages": nested_messages(5000),
    "50,000 parts": many_parts(50_000),
    "50,000 message parts": many_parts(50_000, b"message/rfc822"),
    "50,000 delivery states": many_parts(50_000, b"message/delivery-status"),
    "delivery status": typed(b"message/delivery-status", b"A: b\r\n\r\n" * 100_000),
    "boundaries only": typed(b"multipart/mixed; boundary=b", b"--b\r\n" * 500_000),
    "boundaries with spaces": typed(b"multipart/mixed; boundary=b", (b"--b" + b" " * 1000 + b"x\r\n") * 2000),
    "dashes": typed(b"multipart/mixed; boundary=-", b"-" * 2_000_000),
    "lines of dashes": typed(b"multipart/mixed; boundary=-", b"---\n" * 500_000),
    "boundary never closed": typed(b"multipart/mixed; boundary=b", b"--b\r\n" + b"x\r\n" * 500_000),
    "digest": many_parts(20_000).replace(b"multipart/mixed", b"multipart/digest"),
    "base64 that is none": mail(b"Content-Transfer-Encoding: base64", body=b"=" * 500_000 + b"a"),
    "base64 of one letter": mail(b"Content-Transfer-Encoding: base64", body=b"QUFBQ" * 200_001),
    "quoted-printable": mail(b"Content-Transfer-Encoding: quoted-printable", body=b"=" * 1_000_000),
    "soft line breaks": mail(b"Content-Transfer-Encoding: quoted-printable", body=b"=\r\n" * 400_000),
    "uuencode": mail(b"Content-Transfer-Encoding: x-uuencode", body=b"begin 644 a\r\n" * 50_000),
    "uuencode of nonsense": mail(
        b"Content-Transfer-Encoding: uue", body=b"begin 644 a\r\n" + b"\xff\xfe~\r\n" * 50_000
    ),
    "long transfer encoding": mail(b"Content-Transfer-Encoding: " + b"a" * 200_000),
    "utf-7 and 16": typed(b"text/plain; charset=utf-16", b"\xd8\x00" * 200_000),
    "iso-2022": typed(b"text/plain; charset=iso-2022-jp", b"\x1b$B\x1b(B" * 100_000),
    "half surrogates": typed(b"text/plain; charset=utf-8", b"\xed\xa0\x80" * 100_000),
}

DEMONSTRATED = {
    "4,000 open parentheses in To": MAILS["4,000 open parentheses in To"],
    "50,000 quotes in From": MAILS["50,000 quotes in From"],
    "200,000 semicolons in Content-Type": MAILS["200,000 semicolons in Content-Type"],
    "nested multiparts": MAILS["nested multiparts"],
    "punycode in Content-Type": MAILS["punycode in Content-Type"],
}
"""Those that once stopped a mailbox for good, for the tests with a real mail server."""

IMAP_FLOODS = {
    "lines of 900 KB": (b"", b"* OK " + b"a" * 900_000 + b"\r\n"),
    "short lines": (b"", b"* 1 EXISTS\r\n" * 10_000),
    "a literal of 1 GB": (b"* 1 FETCH (BODY[] {1000000000}\r\n", b"a" * 100_000),
    "a literal of 100 GB": (b"* 1 FETCH (BODY[] {99999999999}\r\n", b"a" * 100_000),
    "a literal with a size of 5,000 digits": (
        b"* 1 FETCH (BODY[] {" + b"9" * 5000 + b"}\r\n",
        b"a" * 100_000,
    ),
    "many literals": (b"", b"* 1 FETCH (BODY[] {1000000}\r\n" + b"a" * 1_000_000 + b")\r\n"),
}
"""Responses to LOGIN."""
