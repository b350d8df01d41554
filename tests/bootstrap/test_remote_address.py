"""Valid server addresses: encrypted ones, and those of this computer."""

import pytest

from patchbay.bootstrap.remote import checked_address
from patchbay.domain.errors import ValidationFailed


@pytest.mark.parametrize(
    "address",
    [
        "https://flows.example.org",
        "http://127.0.0.1:8787",
        "http://localhost:8787",
        "http://[::1]:8787",
        "http://127.8.8.8",
    ],
)
def test_encrypted_services_and_those_of_this_computer_are_taken(address):
    assert checked_address(f" {address}/ ") == address


@pytest.mark.parametrize(
    "address",
    [
        "http://flows.example.org",
        "http://192.168.1.4:8787",
        "http://127.0.0.1.evil.example",
        "HTTP://flows.example.org",
        "http://127.0.0.1\\.evil.example",
        "http://flows.localhost",  # some computers ask elsewhere what that is
    ],
)
def test_services_elsewhere_without_encryption_are_refused_with_a_way_out(address):
    with pytest.raises(ValidationFailed) as refused:
        checked_address(address)

    assert "isn't encrypted" in refused.value.happened
    assert "https://" in refused.value.todo


@pytest.mark.parametrize("typed", ["/api/", "/api/v1", "/api/v1/", "/api/healthcheck", "/api/openapi.json?x"])
def test_what_stands_behind_the_address_of_a_service_is_left_out(typed):
    assert checked_address(f"https://flows.example.org{typed}") == "https://flows.example.org/api"


@pytest.mark.parametrize(
    "typed", ["https://[::1", "https://host:99999", "https://", "ftp://host", "https://:80"]
)
def test_what_is_no_address_is_said_to_be_none(typed):
    with pytest.raises(ValidationFailed):
        checked_address(typed)


@pytest.mark.parametrize("typed", ["https://ada:pa55word@flows.example.org", "http://ada@127.0.0.1:8787"])
def test_names_and_passwords_do_not_belong_in_an_address_which_is_kept_in_the_settings(typed):
    with pytest.raises(ValidationFailed) as refused:
        checked_address(typed)

    assert "must not contain a user name or password" in refused.value.text()
    assert "pa55word" not in refused.value.text()
