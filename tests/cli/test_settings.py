"""Settings by the environment, and by files that it names."""

from pathlib import Path

import pytest
from msgspec.structs import fields

from services.cli import commands
from services.cli.servers import outside_servers
from services.settings import Settings, from_environment, said


def test_an_empty_environment_gives_the_defaults_and_a_full_one_what_it_says():
    assert from_environment({}) == Settings()
    given = {
        "KIBITZ_PORT": "0",
        "KIBITZ_BOT_PACE": "0.5",
        "KIBITZ_CORS_ORIGINS": "https://a.example, https://b.example",
        "KIBITZ_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
    }
    origins = ("https://a.example", "https://b.example")
    assert from_environment(given) == Settings(
        port=0, bot_pace=0.5, cors_origins=origins, trusted_proxies=("10.0.0.0/8", "::1")
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("KIBITZ_PORT", "99999"),  # getaddrinfo would take it for another port
        ("KIBITZ_PORT", "-1"),
        ("KIBITZ_PORT", "http"),
        ("KIBITZ_PORT", ""),
        ("KIBITZ_BOT_PACE", "-1"),
        ("KIBITZ_BOT_PACE", "nan"),
        ("KIBITZ_BOT_PACE", "inf"),
        ("KIBITZ_WORKERS", "0"),
        ("KIBITZ_RATE_READS", "-1"),
        ("KIBITZ_TOKEN_LIFE", "0d"),
        ("KIBITZ_TOKEN_LIFE", "for ever"),
        ("KIBITZ_RATE_ALONE", "maybe"),
        ("KIBITZ_CONNECTIONS", "0"),
        ("KIBITZ_HEAD_SECONDS", "0"),
        ("KIBITZ_STALL_SECONDS", "nan"),
        ("KIBITZ_TRUSTED_PROXIES", "10.0.0.0/8,proxy.example"),
        ("KIBITZ_TRUSTED_PROXIES", "*"),
        ("KIBITZ_LOG_LEVEL", "loud"),
        ("KIBITZ_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("KIBITZ_CORS_ORIGINS", "cards.example"),  # what no browser sends would let nobody in, and say nothing
        ("KIBITZ_CORS_ORIGINS", "https://cards.example/"),
        ("KIBITZ_CORS_ORIGINS", "https://Cards.example"),
        ("KIBITZ_CORS_ORIGINS", "https://a.example https://b.example"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(name: str, text: str):
    with pytest.raises(ValueError, match=f"^{name} does not fit: "):
        from_environment({name: text})


@pytest.mark.parametrize(
    ("name", "text", "fits"),
    [
        ("KIBITZ_TOKEN_LIFE", "5", "like 90d, 12h or 30m"),
        ("KIBITZ_KEEP_KEYS", "1y", "like 90d, 12h or 30m, or empty: for ever"),
        ("KIBITZ_RATE_ALONE", "never", "local, open, closed"),
        ("KIBITZ_LOG_LEVEL", "loud", "debug, info, warning, error"),
        ("KIBITZ_OTLP_ENDPOINT", "collector:4318", "http:// or https://"),
        ("KIBITZ_CORS_ORIGINS", "https://cards.example/", "like https://cards.example"),
    ],
)
def test_whoever_gives_a_setting_that_does_not_fit_is_told_what_would(name: str, text: str, fits: str):
    with pytest.raises(ValueError, match=f"{fits}") as refused:
        from_environment({name: text})
    assert "regex" not in str(refused.value)


def test_every_origin_that_a_browser_sends_may_be_let_in():
    origins = "*, null, https://cards.example, http://localhost:5173, http://[::1]:8000, moz-extension://0a-1b"
    assert len(from_environment({"KIBITZ_CORS_ORIGINS": origins}).cors_origins) == 6


def test_every_setting_may_be_given_by_a_file(tmp_path: Path):
    # given a file for each setting, written as an editor or a secret store writes it
    texts = {
        field.name: ",".join(field.default) if isinstance(field.default, tuple) else f"{field.default}\n"
        for field in fields(Settings)
    } | {
        "database_url": "postgresql://kibitz:s3cr3t@db/kibitz\n",
        "redis_url": "redis://:s3cr3t@redis\r\n",
        "cors_origins": "https://a.example, https://b.example",
    }
    environment = {}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, newline="")
        environment[f"KIBITZ_{name.upper()}_FILE"] = str(tmp_path / name)
    # then each is what its file says, without the newline at the end
    assert from_environment(environment) == Settings(
        database_url="postgresql://kibitz:s3cr3t@db/kibitz",
        redis_url="redis://:s3cr3t@redis",
        cors_origins=("https://a.example", "https://b.example"),
    )


def test_a_setting_given_twice_is_an_error_and_no_secret_is_repeated(tmp_path: Path):
    secret = tmp_path / "url"
    secret.write_text("postgresql://kibitz:s3cr3t@db/kibitz")
    given = {"KIBITZ_DATABASE_URL": "postgresql://other:als0@db", "KIBITZ_DATABASE_URL_FILE": str(secret)}
    with pytest.raises(ValueError, match="KIBITZ_DATABASE_URL_FILE is given, too") as refused:
        from_environment(given)
    assert "s3cr3t" not in str(refused.value)
    assert "als0" not in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    (tmp_path / "image").write_bytes(b"\xff\xd8\xff")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name, why in (
        ("none", "No such file"),
        (".", "Is a directory"),
        ("image", "no text in UTF-8"),
        ("endless", "too long"),
    ):
        with pytest.raises(ValueError, match=f"^KIBITZ_REDIS_URL_FILE does not fit: .*{why}"):
            from_environment({"KIBITZ_REDIS_URL_FILE": str(tmp_path / name)})


def test_what_a_file_says_is_checked_as_the_variable_would_be(tmp_path: Path):
    (tmp_path / "port").write_text("http")
    with pytest.raises(ValueError, match=r"^KIBITZ_PORT does not fit: "):
        from_environment({"KIBITZ_PORT_FILE": str(tmp_path / "port")})


def test_a_token_may_be_given_by_a_file_but_not_twice(tmp_path: Path):
    (tmp_path / "token").write_text("abc\n")
    file = {"KIBITZ_TOKEN_FILE": str(tmp_path / "token")}
    assert said("KIBITZ_TOKEN", file) == "abc"
    assert said("KIBITZ_TOKEN", {"KIBITZ_TOKEN": "abc"}) == "abc"
    assert said("KIBITZ_TOKEN", {}) is None
    with pytest.raises(ValueError, match="KIBITZ_TOKEN_FILE is given, too"):
        said("KIBITZ_TOKEN", file | {"KIBITZ_TOKEN": "def"})


PROVIDER = {
    "KIBITZ_OIDC_ISSUER": "https://id.example",
    "KIBITZ_OIDC_CLIENT_ID": "kibitz",
    "KIBITZ_OIDC_REDIRECT_URI": "https://cards.example/signed-in",
}


def test_a_provider_is_named_by_its_issuer_and_what_it_knows_this_service_by():
    settings = from_environment(PROVIDER)
    assert (settings.oidc_issuer, settings.oidc_client_secret) == ("https://id.example", "")
    here = PROVIDER | {
        "KIBITZ_OIDC_ISSUER": "http://127.0.0.1:9000",
        "KIBITZ_OIDC_REDIRECT_URI": "http://localhost/back",
    }
    assert from_environment(here).oidc_issuer == "http://127.0.0.1:9000"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("KIBITZ_OIDC_CLIENT_ID", ""),
        ("KIBITZ_OIDC_REDIRECT_URI", ""),
        ("KIBITZ_OIDC_ISSUER", "http://id.example"),  # what goes there could be read
        ("KIBITZ_OIDC_ISSUER", "http://localhost.example"),
        ("KIBITZ_OIDC_ISSUER", "http://localhost:x@id.example"),
        ("KIBITZ_OIDC_ISSUER", "ftp://localhost"),
        ("KIBITZ_OIDC_ISSUER", "https:///id"),
        ("KIBITZ_OIDC_ISSUER", "https://[id.example"),
        ("KIBITZ_OIDC_REDIRECT_URI", "http://cards.example/signed-in"),
        ("KIBITZ_OIDC_SCOPE", "profile"),
    ],
)
def test_a_provider_at_which_nobody_could_sign_in_safely_is_refused(name: str, text: str):
    with pytest.raises(ValueError, match=f"^{name} does not fit: "):
        from_environment(PROVIDER | {name: text})


@pytest.mark.parametrize("command", [["doctor", "--json"], ["retain"], ["migrate"]])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DATABASE", "postgresql://kibitz:hush/hush@127.0.0.1:5432/kibitz"),
        ("DATABASE", "postgresql://kibitz:hush@127.0.0.1:99999/kibitz"),
        ("DATABASE", "mysql://kibitz:hush@127.0.0.1/kibitz"),
        ("DATABASE", "host=127.0.0.1 password=hush"),
        ("DATABASE", "postgresql://kibitz:hush@[::1/kibitz"),
        ("REDIS", "http://:hush@127.0.0.1:1"),
        ("REDIS", "redis://:hush/hush@127.0.0.1:1"),
        ("REDIS", "redis://:hush@127.0.0.1:99999"),
        ("REDIS", "redis://:hush?hush=hush@127.0.0.1:1"),
        ("REDIS", "redis://127.0.0.1:1?socket_timeout=hush"),
        ("REDIS", "redis+cluster://:hush@127.0.0.1:1,127.0.0.1:2?hush=1"),
    ],
)
def test_an_address_that_cannot_be_read_is_refused_and_no_part_of_it_repeated(
    command: list[str], name: str, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("KIBITZ_DATABASE_URL", "postgresql://127.0.0.1:1/kibitz")
    monkeypatch.setenv("KIBITZ_REDIS_URL", "redis://127.0.0.1:1")
    monkeypatch.setenv(f"KIBITZ_{name}_URL", text)
    assert commands.run(command) == (8 if command[0] == "doctor" else 2)
    said = "".join(capsys.readouterr())
    assert f"KIBITZ_{name}_URL does not fit" in said
    assert "hush" not in said


@pytest.mark.parametrize("hosts", ["", "a", "a:1", "[::1]:5432", "a:1,b:2", "u:p%2F@a,[::1]", "%2Fvar%2Frun"])
def test_every_address_that_postgresql_takes_may_be_given(hosts: str):
    given = Settings(database_url=f"postgresql://{hosts}/kibitz?host=/x", redis_url="redis://a")
    assert outside_servers(given) is not None
