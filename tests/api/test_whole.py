"""An answer leaves in one piece, unless it is a stream or has no body; what is written is what uvicorn writes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from services.api.whole import WholeAnswers

Send = Callable[[dict[str, Any]], Awaitable[None]]
LENGTH = (b"content-length", b"2")


class Line(asyncio.Transport):
    """A connection that keeps what is written to it, piece by piece."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes] = []
        self.closed = False

    def write(self, data: Any) -> None:
        if data:
            self.pieces.append(bytes(data))

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


async def answered(
    answer: Callable[[Send], Awaitable[None]], method: str = "GET", kind: type[HttpToolsProtocol] = WholeAnswers
) -> Line:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await answer(send)

    config = uvicorn.Config(app, http=kind, ws="none", lifespan="off", log_config=None, access_log=False)
    config.load()
    state, line = ServerState(), Line()
    protocol = kind(config, state, {})
    protocol.connection_made(line)
    protocol.data_received(f"{method} / HTTP/1.1\r\nHost: here\r\n\r\n".encode())
    await asyncio.gather(*state.tasks)
    protocol.connection_lost(None)
    return line


def start(*headers: tuple[bytes, bytes], status: int = 200) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


def body(data: bytes = b"", *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def whole(send: Send) -> None:
    await send(start(LENGTH))
    await send(body(b"ok"))


async def in_two(send: Send) -> None:
    await send(start(LENGTH))
    await send(body(b"o", more=True))
    await send(body(b"k"))


async def empty(send: Send) -> None:
    await send(start((b"content-length", b"0")))
    await send(body())


async def stream(send: Send) -> None:
    await send(start())
    await send(body(b"ok", more=True))
    await send(body())


async def unchanged(send: Send) -> None:
    await send(start(status=304))
    await send(body())


async def test_head_and_body_leave_together():
    line = await answered(whole)

    (piece,) = line.pieces
    assert piece.startswith(b"HTTP/1.1 200 ")
    assert piece.endswith(b"\r\n\r\nok")


async def test_of_a_body_in_two_parts_the_first_leaves_with_the_head():
    line = await answered(in_two)

    assert [piece[-1:] for piece in line.pieces] == [b"o", b"k"]


async def test_the_head_of_a_stream_waits_for_nothing():
    line = await answered(stream)

    assert line.pieces[0].endswith(b"transfer-encoding: chunked\r\n\r\n")


async def test_the_answer_to_a_head_request_is_sent_although_no_body_follows():
    line = await answered(whole, "HEAD")

    (piece,) = line.pieces
    assert piece.endswith(b"content-length: 2\r\n\r\n")


async def test_the_head_of_an_answer_that_breaks_off_is_sent_before_the_line_is_closed():
    async def broken(send: Send) -> None:
        await send(start(LENGTH))
        raise RuntimeError("no body after all")

    line = await answered(broken)

    assert line.closed
    assert b"content-length: 2" in b"".join(line.pieces)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("answer", [whole, in_two, empty, stream, unchanged])
async def test_what_arrives_is_what_uvicorn_sends(answer: Callable[[Send], Awaitable[None]], method: str):
    ours, theirs = await answered(answer, method), await answered(answer, method, HttpToolsProtocol)

    assert b"".join(ours.pieces) == b"".join(theirs.pieces)
    assert ours.closed == theirs.closed
