"""HTTP/1.1 connections with httptools, a parser in C, as strict as h11.

httptools leaves more to its callers than h11: limits on the head and on the framing of a body, the Host
header, trailers, and to parse one request at a time.
"""

import asyncio
import re
from http import HTTPStatus
from urllib.parse import unquote

import httptools
from starlette.responses import Response
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from patchbay.server.http_protocol import (
    MAX_TINY_CHUNKS,
    TINY_CHUNK_BYTES,
    HttpProtocol,
    bad_request_response,
    too_many_chunks_response,
)

_END = b"\r\n\r\n"
"""The end of every head, and of every chunked body."""
_VERSIONS = ("1.0", "1.1")
_METHODS = frozenset((b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS", b"TRACE"))
"""Methods that the parser knows. It rejects unknown ones, and gives CONNECT another meaning."""
_OTHER_METHOD = re.compile(rb"(?:\r\n)*([A-Za-z0-9!#$%&'*+.^_`|~-]+) ")
_UPGRADE = re.compile(rb"(?<=\r\n)upgrade:[^\r\n]*\r\n(?![ \t])", re.IGNORECASE)


class _Rejected(Exception):
    """A request that the parser accepts but we don't. `response` is sent to the client."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


class HttpToolsHttpProtocol(HttpProtocol, HttpToolsProtocol):
    """A connection that is parsed by httptools, one request at a time."""

    _is_in_head = True
    """Whether the next bytes belong to a head, not to a body."""
    _is_stopped = False
    """Whether nothing more is parsed."""
    _head = b""
    """The part of a head that has been received."""
    _method = b""
    """The method, if the parser was given another one in its place."""
    _received = 0
    """Bytes before and in the current head, or of the current body with its framing."""
    _body_left: int | None = None
    """Bytes until the end of the body; None if it is chunked."""
    _body_length = 0
    _chunks = 0
    _body_length_before_chunk = 0

    # What the parser calls

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # trailers are dropped
            super().on_header(name, value.strip())

    def on_headers_complete(self) -> None:
        self._check_head()
        path, _, query = self.url.partition(b"?")
        self.scope["method"] = (self._method or self.parser.get_method()).decode("ascii")
        self.scope["http_version"] = self.parser.get_http_version()
        self.scope["raw_path"] = self.root_path.encode("ascii") + path
        self.scope["path"] = self.root_path + unquote(path.decode("ascii"))
        self.scope["query_string"] = query
        headers = dict(self.headers)
        is_chunked = b"transfer-encoding" in headers
        self._body_left = None if is_chunked else int(headers.get(b"content-length", b"0"))
        self._is_in_head = False
        self._received = self._chunks = self._body_length = self._body_length_before_chunk = 0
        self.cycle = self._new_cycle()
        self._start_asgi_task(self.cycle, self.app)

    def on_body(self, body: bytes) -> None:
        self._body_length += len(body)
        super().on_body(body)

    def on_chunk_complete(self) -> None:
        """Count chunks that aren't empty. Raises `_Rejected` if they are tiny."""
        self._chunks += self._body_length > self._body_length_before_chunk
        self._body_length_before_chunk = self._body_length
        if self._chunks > MAX_TINY_CHUNKS and self._body_length < self._chunks * TINY_CHUNK_BYTES:
            raise _Rejected(too_many_chunks_response())

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_in_head = True
        self._received = 0

    # The connection

    def _feed(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        try:
            while data and not self._is_stopped:
                if self._is_in_head and self.is_responding:
                    self.flow.put_back(data)  # a request that was sent before the response to the last one
                    return
                data = self._feed_head(data) if self._is_in_head else self._feed_body(data)
        except httptools.HttpParserUpgrade:
            self._stop()  # what follows is in a protocol that we don't speak
        except httptools.HttpParserError as error:
            cause = error.__context__
            detail = str(error).rstrip(".")
            self._reject(
                cause.response if isinstance(cause, _Rejected) else bad_request_response(400, detail)
            )
        except _Rejected as rejected:
            self._reject(rejected.response)

    def _feed_head(self, data: bytes) -> bytes:
        """Parse the next head, once it is complete; returns what follows. Raises `_Rejected`."""
        before = len(self._head)
        head = self._head + data
        if head[0] not in b"\r\n" and not head[:1].isalpha():
            raise _Rejected(bad_request_response(400, "the request line is malformed"))
        end = head.find(_END, max(0, before - len(_END) + 1))
        length = len(head) if end < 0 else end + len(_END)
        self._received += length - before
        if self._received > self.limits.head_length:
            raise _Rejected(bad_request_response(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, ""))
        if end < 0 and b"\n\n" in head:
            raise _Rejected(bad_request_response(400, "its lines must end with CR LF"))
        if end < 0:
            self._head = head
            return b""
        self._head = b""
        self.parser.feed_data(self._simplify(head[:length]))
        return head[length:]

    def _simplify(self, head: bytes) -> bytes:
        """The head without what makes the parser treat the rest of the request in another way."""
        self._method = b""
        if head[: head.find(b" ")] not in _METHODS and (match := _OTHER_METHOD.match(head)) is not None:
            self._method = match[1]
            head = b"PUT " + head[match.end() :]
        # Offers to change the protocol are ignored. The parser would take the body for the other protocol.
        return _UPGRADE.sub(b"", head)

    def _feed_body(self, data: bytes) -> bytes:
        """Parse no more than the rest of the body; returns what follows. Raises `_Rejected`."""
        if self._body_left is None:
            end = data.find(_END)
            length = len(data) if end < 0 else end + len(_END)
        else:
            length = min(len(data), self._body_left)
            self._body_left -= length
        self._received += length
        self.parser.feed_data(data[:length])
        if self._received > self.limits.head_length + 2 * self._body_length:
            raise _Rejected(too_many_chunks_response())
        return data[length:]

    def _check_head(self) -> None:
        """Raise `_Rejected` for a head that h11 rejects, too."""
        hosts = sum(name == b"host" for name, _ in self.headers)
        version = self.parser.get_http_version()
        if version not in _VERSIONS:
            raise _Rejected(bad_request_response(400, "the version isn't supported"))
        if hosts > 1 or (hosts == 0 and version == "1.1"):
            raise _Rejected(bad_request_response(400, "it must have exactly one Host header"))
        encodings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
        if encodings and encodings != [b"chunked"]:
            raise _Rejected(bad_request_response(HTTPStatus.NOT_IMPLEMENTED, ""))
        if not self.url.startswith(b"/"):
            raise _Rejected(bad_request_response(400, "the path must begin with a slash"))
        if not self.url.isascii():
            raise _Rejected(bad_request_response(400, "the path has characters beyond ASCII"))

    def _new_cycle(self) -> RequestResponseCycle:
        return RequestResponseCycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=self.scope["http_version"] != "1.0" and self.parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )

    def _is_receiving(self) -> bool:
        return self._is_stopped or not self._is_in_head

    def _reject(self, response: Response) -> None:
        """Respond to a malformed request, unless it is its body and the response has begun."""
        self._is_stopped = True
        has_started = not self._is_in_head and self.cycle.response_started
        if not has_started:
            if not self._is_in_head:  # the head was valid, the body isn't
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            self.send_error(response)
        self.transport.close()

    def _stop(self) -> None:
        """Parse nothing more, and close the connection after the response."""
        self._is_stopped = True
        if self.is_responding:
            self.cycle.keep_alive = False
        else:
            self.transport.close()
