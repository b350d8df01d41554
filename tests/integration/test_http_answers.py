"""Answers that unpack to gigabytes or come in crumbs: refused at a limit, in words."""

import asyncio
import gzip
import os
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from contextlib import suppress

import brotli
import pytest
from tests.support.bombs import answers
from tests.support.forms import in_forms, long_form
from tests.support.patience import PATIENCE
from tests.support.third_party import Raw, Reply, third_party

from patchbay.domain.base import ExecutionId
from patchbay.domain.errors import AppError, NotSupported, Unreachable
from patchbay.domain.request_context import RUN_ROOT_HEADER
from patchbay.integration import App, Context
from patchbay.integration.context import CurrentAuth, CurrentExecution
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.response_bodies import (
    MAX_RESPONSE_BYTES,
    MAX_TINY_CHUNKS,
    TINY_CHUNK_BYTES,
    create_decompressor,
)

PACKED = {
    "gzip": gzip.compress(b"hello", mtime=0),
    "deflate": zlib.compress(b"hello"),
    "br": brotli.compress(b"hello"),
    "zstd": answers.zstandard(b"hello"),
}
ROOT = ExecutionId("0198f2b6-0000-7000-8000-000000000001")


@pytest.fixture
async def ctx() -> AsyncIterator[Context]:
    factory = HttpFactory(timeout=PATIENCE)
    app = App(name="Shop", key="shop", supports_connections=False, api_base_url="")
    yield Context(app=app, auth=CurrentAuth(data={}), http_factory=factory, now=0)
    await factory.aclose()


def sending(data: bytes) -> Reply:
    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    raw: Raw = send
    return Reply(raw=raw)


@pytest.mark.parametrize("name", in_forms([*answers.COMPRESSED], short=["300 MB in gzip"]))
async def test_a_compressed_answer_is_unpacked_no_further_than_the_limit(ctx, name):
    reply = sending(answers.COMPRESSED[name]())
    async with third_party(reply) as shop:
        tracemalloc.start()
        try:
            with pytest.raises(NotSupported, match="more than 25 MB"):
                await ctx.http.get(shop.url)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak < 3 * MAX_RESPONSE_BYTES


async def test_zstandard_that_asks_for_a_lot_of_memory_is_refused(ctx):
    packed = answers.zstandard(os.urandom(4096) * 1024, window_log=27)
    async with third_party(sending(answers.answer(packed, "Content-Encoding: zstd"))) as shop:
        with pytest.raises(AppError):
            await ctx.http.get(shop.url)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_an_answer_compressed_in_several_parts_is_read_to_its_end(ctx, encoding):
    body = PACKED[encoding] * 2
    async with third_party(Reply(body=body, headers={"Content-Encoding": encoding})) as shop:
        assert (await ctx.http.get(shop.url)).text == "hello" * 2


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@pytest.mark.parametrize("cut", range(-2, 3))
def test_a_part_may_begin_in_another_piece(encoding, cut):
    packed = PACKED[encoding]
    whole, place = packed * 2, len(packed) + cut
    unpacker = create_decompressor(encoding)

    found = b"".join(part for piece in (whole[:place], whole[place:]) for part in unpacker.feed(piece))
    unpacker.finish()

    assert found == b"hello" * 2


def test_gzip_may_be_padded_with_zeros():
    unpacker = create_decompressor("gzip")

    found = b"".join(part for piece in (PACKED["gzip"] + b"\0", b"\0" * 9) for part in unpacker.feed(piece))
    unpacker.finish()

    assert found == b"hello"


@pytest.mark.parametrize("encoding", PACKED)
@pytest.mark.parametrize("missing", [1, 4])
async def test_compressed_data_that_ends_too_early_is_an_error(ctx, encoding, missing):
    body = PACKED[encoding][:-missing]
    async with third_party(Reply(body=body, headers={"Content-Encoding": encoding})) as shop:
        with pytest.raises(Unreachable, match="incomplete or malformed response") as caught:
            await ctx.http.get(shop.url)

    assert "ends too early" in caught.value.meaning


@pytest.mark.parametrize("encoding", answers.EMPTY_PARTS)
async def test_an_answer_of_many_empty_compressed_parts_is_refused(ctx, encoding):
    part = answers.EMPTY_PARTS[encoding]
    content = answers.answer(part * (answers.MB // len(part)), f"Content-Encoding: {encoding}")
    async with third_party(sending(content)) as shop:
        with pytest.raises(NotSupported, match="more than 10,000 parts") as caught:
            await ctx.http.get(shop.url)

    assert caught.value.meaning
    assert caught.value.todo


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip"])
async def test_damaged_compressed_data_is_an_error(ctx, encoding):
    async with third_party(Reply(body=b"{ no such form }", headers={"Content-Encoding": encoding})) as shop:
        with pytest.raises(AppError) as caught:
            await ctx.http.get(shop.url)

    assert caught.value.todo


async def test_an_unknown_compression_is_an_error_and_not_garbled_text(ctx):
    async with third_party(Reply(body=b"abc", headers={"Content-Encoding": "snappy"})) as shop:
        with pytest.raises(NotSupported, match="unknown format") as caught:
            await ctx.http.get(shop.url)

    assert caught.value.meaning
    assert caught.value.todo


async def test_an_empty_answer_may_name_any_compression(ctx):
    async with third_party(Reply(204, headers={"Content-Encoding": "br"})) as shop:
        assert (await ctx.http.get(shop.url)).content == b""


async def test_an_answer_compressed_more_than_once_is_not_unpacked(ctx):
    async with third_party(sending(answers.packed_twice())) as shop:
        with pytest.raises(NotSupported, match="compressed its response more than once") as caught:
            await ctx.http.get(shop.url)

    assert caught.value.meaning
    assert caught.value.todo


async def test_others_have_their_turn_while_an_answer_is_unpacked(ctx):
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    content = answers.answer(answers.zeros(20), "Content-Encoding: gzip")
    async with third_party(sending(content)) as shop:
        counting = asyncio.ensure_future(count())
        response = await ctx.http.get(shop.url)
        counting.cancel()

    assert len(response.content) == 20 * answers.MB
    assert turns > 60  # several for each megabyte


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        *PACKED.items(),
        ("x-gzip", PACKED["gzip"]),
        ("GZIP", PACKED["gzip"]),
        ("deflate", PACKED["deflate"][2:-4]),
        ("identity", b"hello"),
        ("identity, gzip", PACKED["gzip"]),
    ],
)
async def test_compressed_answers_are_unpacked(ctx, encoding, content):
    async with third_party(sending(answers.answer(content, f"Content-Encoding: {encoding}"))) as shop:
        assert (await ctx.http.get(shop.url)).text == "hello"
        assert shop.seen[0].headers["accept-encoding"] == ", ".join(PACKED)


async def test_an_answer_that_is_not_what_it_says_is_reported(ctx):
    async with third_party(sending(answers.answer(b"hello", "Content-Encoding: gzip"))) as shop:
        with pytest.raises(Unreachable):
            await ctx.http.get(shop.url)


async def test_an_answer_in_tiny_pieces_is_refused(ctx):
    async with third_party(sending(answers.TINY_CHUNKS)) as shop:
        with pytest.raises(NotSupported, match="tiny chunks"):
            await ctx.http.get(shop.url)


@long_form
async def test_an_answer_in_modest_pieces_is_read(ctx):
    modest = answers.chunked(b"x" * TINY_CHUNK_BYTES * 2, 3 * MAX_TINY_CHUNKS)
    async with third_party(sending(modest)) as shop:
        assert len((await ctx.http.get(shop.url)).content) == 6 * MAX_TINY_CHUNKS * TINY_CHUNK_BYTES


async def test_the_root_of_a_run_goes_along_with_a_redirect_to_another_service(ctx):
    ctx.execution = CurrentExecution(id=ROOT, test_run=False, root_id=ROOT)
    async with third_party(Reply(body="here")) as own:
        away = Reply(307, headers={"Location": f"{own.url}/webhooks/flows/x"})
        async with third_party(away) as stranger:
            await ctx.http.get(stranger.url)

    assert own.seen[0].headers[RUN_ROOT_HEADER] == ROOT


@pytest.mark.parametrize("piece", [1, 64_000])
async def test_interim_responses_without_end_are_given_up(ctx, piece):
    async def send(writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            for _ in range(200_000 // piece):
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * piece)
                await writer.drain()
        writer.write(answers.answer(b"late"))

    async with third_party(Reply(raw=send)) as shop:
        with pytest.raises(Unreachable):
            await ctx.http.get(shop.url)


async def test_a_few_interim_responses_are_passed_over(ctx):
    few = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3
    async with third_party(sending(few + answers.answer(b"done"))) as shop:
        assert (await ctx.http.get(shop.url)).content == b"done"
