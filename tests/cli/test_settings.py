"""Settings by the environment."""

import pytest

from services.settings import Settings, from_environment


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
        ("KIBITZ_RATE_ALONE", "maybe"),
        ("KIBITZ_CONNECTIONS", "0"),
        ("KIBITZ_HEAD_SECONDS", "0"),
        ("KIBITZ_STALL_SECONDS", "nan"),
        ("KIBITZ_TRUSTED_PROXIES", "10.0.0.0/8,proxy.example"),
        ("KIBITZ_TRUSTED_PROXIES", "*"),
        ("KIBITZ_TRUSTED_PROXIES", "10.0.0.1/8"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(name: str, text: str):
    with pytest.raises(ValueError, match=f"^{name} does not fit: "):
        from_environment({name: text})
