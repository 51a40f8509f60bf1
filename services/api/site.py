"""The browser client as it is served: its page, its modules and styles, and the verifier that it checks matches with.

The files are those of ``web/`` and ``openapi/verifier/``: of the checkout, or in an installed package the copies beside
this module. They are read anew for every request, so that whoever changes one sees it by reloading.
"""

import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Controller, Request, Response, get

from services.api.answers import answer, fingerprint, unchanged
from services.api.describe import NOT_MODIFIED, Answer, Operation, described
from services.api.reading import no_query
from services.problems import NotFound

_TAG: Final = "Operating"
_CHECKOUT: Final = Path(__file__).resolve().parents[2]
_HTML: Final = "text/html"
_KINDS: Final = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}
_NAME: Final = re.compile(r"(?=.{1,200}$)(?:[a-z][a-z0-9_-]*/)*[a-z][a-z0-9_.-]*\.(css|js|svg)")
"""What is served has such a name; nothing else in the folders is, no name leads out of them, and none is longer than
those that a disk knows.
"""

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types kibitz"
)
"""What the page may do: run scripts and styles of this service and speak to it, nothing else. HTML is only made in
one place (``web/js/template.js``, the policy ``kibitz``).
"""
_WORKER_POLICY: Final = "default-src 'none'; script-src 'self'; frame-ancestors 'none'"
"""What a script may do that runs as a worker, which has the policy of its own file: run scripts of this service."""
_FRESH: Final = "public, no-cache"
"""Keep it, but ask each time: the modules of two releases do not fit together."""


class SignedInQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What providers send back (RFC 6749, 4.1.2, and RFC 9207). Others send more, and it is not looked at here."""

    code: str | None = None
    state: str | None = None
    iss: str | None = None
    error: str | None = None


_PAGE: Final = Operation(
    name="readPage",
    tag=_TAG,
    summary="The browser client",
    description="A page to play, watch, replay and audit in. It uses this API and nothing else.",
    token="none",  # noqa: S106 - no token is needed
    headers=("If-None-Match",),
    answers=(
        Answer(status=200, means="The page.", kinds={"text/html": None}, headers=("ETag", "Cache-Control")),
        NOT_MODIFIED,
    ),
)
_FILE: Final = Operation(
    name="readClientFile",
    tag=_TAG,
    summary="A module, a style or a picture of the client",
    token="none",  # noqa: S106
    headers=("If-None-Match",),
    answers=(
        Answer(
            status=200,
            means="The file.",
            kinds={"text/javascript": None, "text/css": None, "image/svg+xml": None},
            headers=("ETag", "Cache-Control"),
        ),
        NOT_MODIFIED,
    ),
    problems=("not-found",),
)
_VERIFIER: Final = Operation(
    name="readVerifierFile",
    tag=_TAG,
    summary="A module of the verifier",
    description="The JavaScript verifier, which checks a bundle without asking anybody: `verify.js` is its front.",
    token="none",  # noqa: S106
    headers=("If-None-Match",),
    answers=(
        Answer(status=200, means="The module.", kinds={"text/javascript": None}, headers=("ETag", "Cache-Control")),
        NOT_MODIFIED,
    ),
    problems=("not-found",),
)


_SIGNED_IN: Final = Operation(
    name="readSignedInPage",
    tag=_TAG,
    summary="The browser client, for who comes back from signing in",
    description="The same page as `/`. It reads the query that the provider has written, and nobody else does.",
    token="none",  # noqa: S106
    query=SignedInQuery,
    headers=("If-None-Match",),
    answers=_PAGE.answers,
)


class SiteController(Controller):
    @get("/", opt=described(_PAGE))
    async def page(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        return _kept(request, _read(_folder("web"), "index.html"), _HTML, {"Content-Security-Policy": _POLICY})

    @get("/signed-in", opt=described(_SIGNED_IN))
    async def signed_in(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        return _kept(request, _read(_folder("web"), "index.html"), _HTML, {"Content-Security-Policy": _POLICY})

    @get("/web/{asset:path}", opt=described(_FILE))
    async def file(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        return _served(request, "web", str(request.path_params["asset"]).removeprefix("/"))

    @get("/verifier/{module:str}", opt=described(_VERIFIER))
    async def verifier(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        return _served(request, "verifier", str(request.path_params["module"]))


def _served(request: Request[Any, Any, Any], folder: str, name: str) -> Response[bytes]:
    """A file of a folder by its name. Raises ``NotFound`` for what is not there, or not to be served."""
    known = _NAME.fullmatch(name)
    if known is None:
        raise NotFound("file")
    policy = {"Content-Security-Policy": _WORKER_POLICY} if known[1] == "js" else {}
    return _kept(request, _read(_folder(folder), name), _KINDS[known[1]], policy)


def _kept(request: Request[Any, Any, Any], data: bytes, media_type: str, more: dict[str, str]) -> Response[bytes]:
    headers = {"ETag": f'"{fingerprint(data)}"', "Cache-Control": _FRESH, **more}
    return unchanged(request, headers) or answer(data, headers=headers, media_type=media_type)


def _folder(name: str) -> Traversable:
    """The folder ``web`` or ``verifier``, where this code has it."""
    packed = resources.files("services.api") / "site" / name
    return packed if packed.is_dir() else _CHECKOUT / {"web": "web", "verifier": "openapi/verifier"}[name]


def _read(folder: Traversable, name: str) -> bytes:
    """Raises ``NotFound`` if the folder has no such file."""
    try:
        return folder.joinpath(*name.split("/")).read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise NotFound("file") from error
