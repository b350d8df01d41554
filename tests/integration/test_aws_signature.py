"""AWS Signature Version 4: the examples of AWS's documentation, and what a request is signed with."""

from datetime import UTC, datetime
from hashlib import sha256

import pytest

from patchbay.integration.aws_signature import AwsKey

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
GENERAL = AwsKey("AKIDEXAMPLE", SECRET, "us-east-1", "service")
IAM = AwsKey("AKIDEXAMPLE", SECRET, "us-east-1", "iam")
S3 = AwsKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3")
BUCKET = "examplebucket.s3.amazonaws.com"
HOST = "example.amazonaws.com"
AUGUST = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
MAY = datetime(2013, 5, 24, tzinfo=UTC)
FORM = {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}
REDUCED = {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"}


def signed(
    key: AwsKey, time: datetime, method: str, url: str, headers: dict[str, str], body: bytes = b""
) -> dict[str, str]:
    host = url.split("/")[2]
    return key.sign(int(time.timestamp() * 1000), method, url, {"host": host, **headers}, body)


@pytest.mark.parametrize(
    ("key", "time", "method", "url", "headers", "body", "names", "signature"),
    [
        # Test suite of the AWS General Reference: get-vanilla, get-vanilla-query-order-key-case
        (
            *(GENERAL, AUGUST, "GET", f"https://{HOST}/", {}, b"", "host;x-amz-date"),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        ),
        (
            *(GENERAL, AUGUST, "GET", f"https://{HOST}/?Param2=value2&Param1=value1", {}, b""),
            *("host;x-amz-date", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        ),
        # "Signing AWS requests": ListUsers
        (
            *(
                IAM,
                AUGUST,
                "GET",
                "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
                FORM,
                b"",
            ),
            "content-type;host;x-amz-date",
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
        ),
        # "Authenticating requests" of Amazon S3: GET object, PUT object, bucket lifecycle, list objects
        (
            *(S3, MAY, "GET", f"https://{BUCKET}/test.txt", {"range": "bytes=0-9"}, b""),
            "host;range;x-amz-content-sha256;x-amz-date",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        (
            *(S3, MAY, "PUT", f"https://{BUCKET}/test$file.text", REDUCED, b"Welcome to Amazon S3."),
            "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        ),
        (
            *(S3, MAY, "GET", f"https://{BUCKET}/?lifecycle", {}, b""),
            "host;x-amz-content-sha256;x-amz-date",
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        ),
        (
            *(S3, MAY, "GET", f"https://{BUCKET}/?max-keys=2&prefix=J", {}, b""),
            "host;x-amz-content-sha256;x-amz-date",
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ],
    ids=["vanilla", "query order", "list users", "get object", "put object", "lifecycle", "list objects"],
)
def test_the_examples_of_the_documentation_are_signed_alike(
    key, time, method, url, headers, body, names, signature
):
    added = signed(key, time, method, url, headers, body)

    scope = f"{time:%Y%m%d}/us-east-1/{key.service}/aws4_request"
    assert added["authorization"] == (
        f"AWS4-HMAC-SHA256 Credential={key.access_key_id}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    assert added["x-amz-date"] == f"{time:%Y%m%dT%H%M%SZ}"


def test_only_s3_gets_the_hash_of_the_body():
    s3 = signed(S3, MAY, "PUT", f"https://{BUCKET}/a", {}, b"body")
    other = signed(GENERAL, MAY, "PUT", f"https://{HOST}/a", {}, b"body")

    assert s3["x-amz-content-sha256"] == sha256(b"body").hexdigest()
    assert "x-amz-content-sha256" not in other
    assert s3["authorization"] != signed(S3, MAY, "PUT", f"https://{BUCKET}/a", {}, b"Body")["authorization"]


def test_the_token_of_temporary_credentials_is_sent_and_signed():
    key = AwsKey("AKIDEXAMPLE", SECRET, "us-east-1", "service", "token-1")

    added = signed(key, AUGUST, "GET", f"https://{HOST}/", {})

    assert added["x-amz-security-token"] == "token-1"
    assert "SignedHeaders=host;x-amz-date;x-amz-security-token," in added["authorization"]


def test_headers_that_proxies_change_are_not_signed():
    plain = signed(GENERAL, AUGUST, "GET", f"https://{HOST}/", {})
    more = signed(
        GENERAL, AUGUST, "GET", f"https://{HOST}/", {"user-agent": "x", "accept-encoding": "br", "via": "1"}
    )

    assert more == plain


def test_a_key_shows_no_secret():
    assert SECRET not in repr(AwsKey("AKIDEXAMPLE", SECRET, "us-east-1", "service", "token-1"))
