"""How an operation is described beside its handler: the source of the OpenAPI document."""

from collections.abc import Mapping
from typing import Any, Final, Literal, Self

import msgspec

JSON: Final = "application/json"
Token = Literal["none", "optional", "required"]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which an operation answers. ``kinds`` has the type behind each media type; None: text of any kind."""

    status: int
    means: str
    kinds: Mapping[str, Any] = {}
    headers: tuple[str, ...] = ()


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """What the document says of an operation. ``problems`` are slugs of ``services.api.problem_types.TYPES``.

    ``body`` is the type of the request's body; ``optional_body`` says that it may be left out. ``headers`` are those of
    ``services.api.openapi`` that the operation looks at, beside the ones that every operation does. ``key_length`` is
    the least number of characters of its ``Idempotency-Key``.
    """

    name: str
    tag: str
    summary: str
    description: str = ""
    token: Token = "optional"  # noqa: S105 - whether there is one, not what it is
    query: type[msgspec.Struct] | None = None
    body: Any = None
    optional_body: bool = False
    key_length: int = 1
    body_examples: Mapping[str, Any] = {}
    headers: tuple[str, ...] = ()
    answers: tuple[Answer, ...]
    problems: tuple[str, ...] = ()

    def __deepcopy__(self, _: object) -> Self:
        """A frozen value is its own copy; types in it cannot be copied."""
        return self


def described(operation: Operation) -> dict[str, Any]:
    """What a handler carries in its ``opt``."""
    return {"operation": operation}


def json_answer(status: int, means: str, kind: Any, *headers: str) -> Answer:
    return Answer(status=status, means=means, kinds={JSON: kind}, headers=headers)


NOT_MODIFIED: Final = Answer(status=304, means="What the caller has is still right.", headers=("ETag", "Cache-Control"))
