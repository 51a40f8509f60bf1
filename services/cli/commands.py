"""The commands of ``kibitz``: what each takes, in words for ``--help``. The work is in the modules beside this one."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec.structs import replace
from typer.exceptions import TyperException

from services.cli.asked import heed, ignore
from services.cli.failures import AWAY, INTERRUPTED, USAGE, Failure, told
from services.ids import is_id
from services.settings import MOST_WORKERS as MOST
from services.settings import Settings, from_environment, said

app: Final = typer.Typer(
    name="kibitz",
    help="Kibitz deals, referees and scores card games, and lets anybody replay and audit a match.",
    epilog="Settings can also be given by KIBITZ_ variables; docs/cli.md has them.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Data = Annotated[str | None, typer.Option("--data", help="The folder of the embedded servers. [default: data]")]
Match = Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match.")]


def main() -> None:
    """The entry point: runs a command and exits. Whatever goes wrong is one line on stderr and an exit code."""
    heed()
    try:
        sys.exit(run(sys.argv[1:]))
    finally:
        ignore()


def run(arguments: list[str]) -> int:
    """One command. Returns its exit code."""
    code = told(lambda: _command(arguments or ["--help"]))
    return code if arguments else code or USAGE


def _command(arguments: list[str]) -> object:
    try:
        return app(arguments, prog_name="kibitz", standalone_mode=False)
    except TyperException as wrong:
        sys.stderr.write(f"kibitz: {wrong.format_message()} (kibitz --help says what there is)\n")
        return USAGE
    except typer.Abort:
        return INTERRUPTED


def settings(**given: object) -> Settings:
    """What the environment says, and over it the options that were given."""
    try:
        return replace(from_environment(), **{name: value for name, value in given.items() if value is not None})
    except ValueError as error:
        raise Failure(str(error), USAGE) from error


def _token() -> str | None:
    try:
        return said("KIBITZ_TOKEN") or None
    except ValueError as error:
        raise Failure(str(error), USAGE) from error


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on. [default: 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="0: any free one. [default: 8000]")] = None,
    data: Data = None,
    demo: Annotated[bool, typer.Option(help="Bot tables that keep playing, and finished matches.")] = True,
    workers: Annotated[int | None, typer.Option(min=1, max=MOST, help="Processes that serve. [default: 1]")] = None,
    log: Annotated[str | None, typer.Option(help="A file, or - for stderr. [default: DATA/kibitz.log]")] = None,
) -> None:
    """Start everything: PostgreSQL, Redis, migrations, the API, the projector, and a demo.

    With KIBITZ_DATABASE_URL and KIBITZ_REDIS_URL it uses those servers and starts none. Ctrl-C stops what it started.
    """
    from services.cli import serve as work  # noqa: PLC0415 - a command loads what it needs

    work.run(settings(host=host, port=port, data=data, workers=workers), demo=demo, log_to=log)


@app.command()
def migrate(data: Data = None) -> None:
    """Bring the database to the newest schema."""
    from services.cli import operate  # noqa: PLC0415

    operate.migrate(settings(data=data))


@app.command()
def projector(data: Data = None) -> None:
    """Keep the read models up to date, without an API, until it is stopped."""
    from services.cli import operate  # noqa: PLC0415

    operate.project(settings(data=data))


@app.command()
def health(
    projector: Annotated[
        bool, typer.Option("--projector", help="Ask a kibitz projector that has the same data folder.")
    ] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Where one listens on this machine.")] = None,
    url: Annotated[str | None, typer.Option(help="A Kibitz anywhere. [default: the one that serves DATA]")] = None,
    data: Data = None,
) -> None:
    """Ask a Kibitz whether it is ready: the one that serves DATA, or else where KIBITZ_HOST and KIBITZ_PORT say.

    Exit code 3 where it is not, or nobody answers.
    """
    from services import health as work  # noqa: PLC0415

    asked = settings(port=port, data=data)
    try:
        typer.echo(work.ask_projector(asked) if projector else work.ask(url or _served(asked, port=port)))
    except work.Unwell as error:
        raise Failure(str(error), AWAY) from error
    except ValueError as error:
        raise Failure(str(error), USAGE) from error


def _served(chosen: Settings, *, port: int | None = None) -> str:
    """The URL of who serves the data folder, or else, and where a port is asked for, that of the settings."""
    from services.cli.servers import serving  # noqa: PLC0415
    from services.health import address  # noqa: PLC0415

    note = serving(Path(chosen.data)) if port is None else None
    return note.url if note is not None else address(chosen)


@app.command()
def rebuild(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One read model; all without it.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Switch even if they differ: the old one is damaged.")] = False,
    data: Data = None,
) -> None:
    """Build a read model anew beside the old one, then switch to it; readers never see a half-built one."""
    from services.cli import operate  # noqa: PLC0415

    operate.rebuild(settings(data=data), name, force=force)


@app.command()
def parked(data: Data = None) -> None:
    """List the matches that a read model could not take and has set aside, with the event and the reason."""
    from services.cli import operate  # noqa: PLC0415

    operate.parked(settings(data=data))


@app.command()
def unpark(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The read model.")], match: Match, data: Data = None
) -> None:
    """Let a read model take a parked match again, from the event at which it stopped: after its fault is mended."""
    from services.cli import operate  # noqa: PLC0415

    operate.unpark(settings(data=data), name, match)


@app.command()
def archive(
    before: Annotated[str | None, typer.Option(help="How long ago its last event must be: 90d, 12h, 30m.")] = None,
    data: Data = None,
) -> None:
    """Put finished matches away, packed: they are read, replayed and audited as before. [default: before 90d]"""
    from services.cli import growth  # noqa: PLC0415

    growth.archive(settings(data=data), before)


@app.command()
def retain(data: Data = None) -> None:
    """Forget what is old: refused attempts, keys of creations, guests without a trace. No event is ever deleted.

    KIBITZ_KEEP_REFUSALS, KIBITZ_KEEP_KEYS and KIBITZ_KEEP_GUESTS say how old.
    """
    from services.cli import growth  # noqa: PLC0415

    growth.retain(settings(data=data))


@app.command()
def distribute(data: Data = None) -> None:
    """Distribute the tables over several machines by shard, where PostgreSQL has the extension Citus.

    Exit code 6 where it has not: then nothing is changed.
    """
    from services.cli import growth  # noqa: PLC0415

    growth.distribute(settings(data=data))


@app.command()
def backup(
    folder: Annotated[
        str | None, typer.Argument(metavar="[FOLDER]", help="Where to. [default: what KIBITZ_BACKUPS says]")
    ] = None,
    keep: Annotated[int | None, typer.Option(min=1, help="How many are left there. [default: 7]")] = None,
    data: Data = None,
) -> None:
    """Back up the embedded PostgreSQL, also while it serves, check the backup, and remove the oldest ones.

    With KIBITZ_BACKUPS set, 'kibitz serve' puts its log there: then every moment since can be restored.
    """
    from services.cli import backups  # noqa: PLC0415

    backups.backup(settings(data=data), folder, keep)


@app.command()
def restore(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder of backups.")],
    at: Annotated[
        str | None, typer.Option(help="The moment: 2031-05-17T18:30:00Z. [default: the end of the log]")
    ] = None,
    data: Data = None,
) -> int:
    """Restore a backup into a new data folder, as all was at a moment, and verify every match in it.

    Who was erased since is erased again. Exit code 1 if a match does not hold, or the log breaks off.
    """
    from services.cli import backups  # noqa: PLC0415

    return backups.restore(settings(data=data), folder, at)


@app.command()
def doctor(
    matches: Annotated[str, typer.Option(help="How many matches to verify, or all.")] = "100",
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
    data: Data = None,
) -> int:
    """Look at settings, database, rights, clock, schema, read models, matches, Redis and disk. It changes nothing.

    Exit code 0: all is well; 7: there are warnings; 8: something is wrong.
    """
    from services.cli import doctor as work  # noqa: PLC0415

    return work.run(lambda: settings(data=data), matches, as_json=as_json)


@app.command()
def verify(
    bundle: Annotated[
        str, typer.Argument(metavar="BUNDLE", help="A file, - for stdin, or the id of a match in the data folder.")
    ],
    receipts: Annotated[
        str | None, typer.Option(help="A file with answers to moves: their versions and heads are compared.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON.")] = False,
    data: Data = None,
) -> int:
    """Check a match from its bundle, offline: chain, seeds, deals, openings, and every move and score by replay.

    Exit code 0 VALID, 20 INCOMPLETE, 30 DIVERGED, 40 INVALID; 5 for a file that cannot be read.
    """
    from services.cli import verify as work  # noqa: PLC0415

    if bundle != work.STDIN and not Path(bundle).exists() and is_id(bundle):
        from services.cli import operate  # noqa: PLC0415

        given = work.receipts_in(receipts)
        return work.tell(operate.verified(settings(data=data), bundle, given), as_json=as_json)
    return work.run(bundle, receipts, as_json=as_json)


@app.command()
def shuffles(
    decks: Annotated[int, typer.Option(help="How many decks of each game: 1000 to 1000000.")] = 2000,
    seed: Annotated[str, typer.Option(help="The same seed gives the same decks.")] = "kibitz",
    game: Annotated[str | None, typer.Option(help="One game only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The figures as JSON.")] = False,
) -> int:
    """Test the shuffle of every game by chi-square: every card at every place, and what lies on top.

    Exit code 1 if one of the tests is so unlikely that fair shuffles would give it once in a thousand runs.
    """
    from services.cli import shuffles as work  # noqa: PLC0415

    return work.run(seed, decks, game, as_json=as_json)


@app.command()
def role(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The id of a player.")],
    role: Annotated[str, typer.Argument(metavar="ROLE", help="player, arbiter or admin.")],
    data: Data = None,
) -> None:
    """Give a player a role: an arbiter rules on disputes, an admin gives roles, too. It is written down."""
    from services.cli import roles  # noqa: PLC0415

    roles.appoint(settings(data=data), player, role)


@app.command()
def erase(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Ids of players, or - for those on stdin.")],
    data: Data = None,
) -> None:
    """Erase players, as they can themselves: name, claims and tokens are forgotten for good."""
    from services.cli import roles  # noqa: PLC0415

    roles.erase(settings(data=data), players)


@app.command()
def openapi(
    check: Annotated[bool, typer.Option("--check", help="Only say whether the file is what the code says.")] = False,
    out: Annotated[Path, typer.Option(help="The file.")] = Path("openapi/openapi.json"),
) -> None:
    """Write the OpenAPI document that the code generates."""
    from services.cli import document  # noqa: PLC0415

    document.run(out, check=check)


@app.command()
def replay(
    match: Match,
    seat: Annotated[str | None, typer.Option(help="Through whose eyes: a seat's number, public, or all.")] = None,
    url: Annotated[str | None, typer.Option(help="A running Kibitz. [default: the one that serves DATA]")] = None,
    token: Annotated[str | None, typer.Option(help="To see your own hand. [default: KIBITZ_TOKEN]")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every step, without keys.")] = False,
    speed: Annotated[float | None, typer.Option(help="Events a second, when it plays by itself.")] = None,
    data: Data = None,
) -> None:
    """Move through a match event by event: the table, the cards, and a sentence for each event."""
    from services.cli import replay as work  # noqa: PLC0415
    from services.cli.servers import check_data, serving  # noqa: PLC0415
    from services.cli.source import Source  # noqa: PLC0415

    work.check(match, seat, speed)
    chosen = settings(data=data)
    if url is None and data is not None and serving(Path(data)) is None:
        check_data(Path(data))
    with Source(url or _served(chosen), token or _token()) as source:
        work.run(source, match, seat, everything=everything, speed=speed)


@app.command()
def version() -> None:
    """Say which version this is."""
    typer.echo(installed_version("kibitz"))
