"""Settings by the environment."""

import pytest

from services.settings import Settings, from_environment


def test_an_empty_environment_gives_the_defaults_and_a_full_one_what_it_says():
    assert from_environment({}) == Settings()
    given = {
        "KIBITZ_PORT": "0",
        "KIBITZ_BOT_PACE": "0.5",
        "KIBITZ_CORS_ORIGINS": "https://a.example, https://b.example",
    }
    origins = ("https://a.example", "https://b.example")
    assert from_environment(given) == Settings(port=0, bot_pace=0.5, cors_origins=origins)


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
    ],
)
def test_a_setting_that_does_not_fit_is_named(name: str, text: str):
    with pytest.raises(ValueError, match=f"^{name} does not fit: "):
        from_environment({name: text})


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
        ("KIBITZ_OIDC_REDIRECT_URI", "http://cards.example/signed-in"),
        ("KIBITZ_OIDC_SCOPE", "profile"),
    ],
)
def test_a_provider_at_which_nobody_could_sign_in_safely_is_refused(name: str, text: str):
    with pytest.raises(ValueError, match=f"^{name} does not fit: "):
        from_environment(PROVIDER | {name: text})
