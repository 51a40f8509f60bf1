"""Matches as a running Kibitz shows them over its API, for commands that only look."""

from types import TracebackType
from typing import Any, Final, TypeVar

import httpx
import msgspec

from services.cli.failures import AWAY, FAILED, UNKNOWN, USAGE, Failure

T = TypeVar("T")
TIMEOUT: Final = 30.0


class Hand(msgspec.Struct, frozen=True):
    hand: int
    first: int
    last: int


class Mark(msgspec.Struct, frozen=True):
    version: int
    kind: str
    text: str


class Index(msgspec.Struct, frozen=True):
    """``GET /matches/{m}/replay``: how many versions there are, and what one wants to jump to."""

    versions: int
    hands: tuple[Hand, ...]
    marks: tuple[Mark, ...]


class Step(msgspec.Struct, frozen=True):
    """``GET /matches/{m}/replay/{v}``: the table right after event ``version``, and a sentence for the event."""

    version: int
    event: dict[str, Any]
    table: dict[str, Any]
    text: str


class Source:
    """A running service. Its methods raise ``Failure``."""

    def __init__(self, url: str, token: str | None = None, transport: httpx.BaseTransport | None = None) -> None:
        if token and not (token.isascii() and token.isprintable()):
            raise Failure("the token has letters that are in none", USAGE)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.url = url.rstrip("/")
        self._client = httpx.Client(base_url=self.url, headers=headers, timeout=TIMEOUT, transport=transport)

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.close()

    def index(self, match: str) -> Index:
        return self._read(f"/v1/matches/{match}/replay", Index)

    def match(self, match: str) -> dict[str, Any]:
        """The table as it is now: its seats have the names of the players."""
        return self._read(f"/v1/matches/{match}", dict[str, Any])

    def step(self, match: str, version: int, seat: str) -> Step:
        """``seat`` is a number, ``public`` or ``all``."""
        return self._read(f"/v1/matches/{match}/replay/{version}", Step, seat=seat)

    def _read(self, path: str, kind: type[T], **params: str) -> T:
        try:
            answer = self._client.get(path, params=params)
        except httpx.InvalidURL as error:
            raise Failure(f"{self.url} is not an address: {error}") from error
        except httpx.HTTPError as error:
            text = f"nothing answers at {self.url}; is 'kibitz serve' running? (--url says where)"
            raise Failure(text, AWAY) from error
        if answer.is_success:
            try:
                return msgspec.json.decode(answer.content, type=kind)
            except ValueError as error:
                raise Failure(f"{self.url} answers, but not as Kibitz does", AWAY) from error
        raise Failure(_reason(answer), UNKNOWN if answer.status_code == httpx.codes.NOT_FOUND else FAILED)


def _reason(answer: httpx.Response) -> str:
    """The sentence of a problem document, or at least its status."""
    try:
        problem = answer.json()
        return str(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, AttributeError):
        return f"the service answered {answer.status_code} {answer.reason_phrase}"
