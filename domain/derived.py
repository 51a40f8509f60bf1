"""Facts that follow from a frozen value: worked out when they are first asked for, then kept beside it."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class derived(Generic[T]):  # noqa: N801 - reads as ``property`` does
    """A property that is computed once for each value. The class needs a ``__dict__`` (``msgspec.Struct, dict=True``).

    What is kept is no part of the value: neither equality nor ``replace`` sees it. It does what
    ``functools.cached_property`` does, which takes a lock in Python 3.11 and so costs more than most of these facts.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, value: None, owner: type) -> "derived[T]": ...
    @overload
    def __get__(self, value: object, owner: type) -> T: ...
    def __get__(self, value: Any, owner: type) -> "derived[T] | T":
        if value is None:
            return self
        found = value.__dict__[self._name] = self._compute(value)
        return found
