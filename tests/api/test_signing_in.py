"""Signing in at a real provider on loopback: who becomes whom, and whatever is wrong is refused and changes nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import httpx
import pytest
from joserfc.jwk import RSAKey

from services.ids import new_id, token_hash
from services.openid import Provider, ProviderAway
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, ok, problem
from tests.api.provider import CLIENT, SECRET, StandIn, Twist, known_to, provided, straight


@pytest.fixture(scope="module")
async def running() -> AsyncIterator[StandIn]:
    async with provided() as provider:
        yield provider


@pytest.fixture
def provider(running: StandIn) -> StandIn:
    """The provider as it should be, with somebody new before the browser."""
    running.twist, running.signer, running.away = straight, None, False
    running.person = {"sub": new_id(), "name": "Ann of Elsewhere"}
    return running


@pytest.fixture(scope="module")
async def service(fresh_database: Callable[[], str], redis_url: str, running: StandIn) -> AsyncIterator[Service]:
    async with serving(fresh_database(), redis_url, **known_to(running)) as service:
        yield service


async def begun(service: Service, guest: Guest | None = None, key: str | None = None) -> dict[str, str]:
    headers = ({} if guest is None else guest.auth) | ({} if key is None else {"Idempotency-Key": key})
    answer = await service.http.post("/v1/sign-in", json={}, headers=headers)
    assert answer.status_code == 201, answer.text
    told: dict[str, str] = answer.json()
    return told


async def finished(service: Service, body: dict[str, str], key: str | None = None) -> httpx.Response:
    headers = {} if key is None else {"Idempotency-Key": key}
    return await service.http.post("/v1/sign-in/finish", json=body, headers=headers)


async def back(service: Service, provider: StandIn, guest: Guest | None = None) -> dict[str, str]:
    """All that the starter has after the provider has sent the browser back."""
    start = await begun(service, guest)
    return provider.signs_in(start["address"]) | {"secret": start["secret"]}


async def signed_in(service: Service, provider: StandIn, guest: Guest | None = None) -> tuple[Guest, str]:
    told = ok(await finished(service, await back(service, provider, guest)))
    return Guest(service.http, told["player"], told["name"], told["token"]), told["how"]


async def every(table: str, lent: Any) -> list[Any]:
    """The rows of a table as text."""
    rows: list[Any] = await lent.fetch(f"select t::text from {table} t")
    return rows


async def accounts(service: Service) -> int:
    count: int = await service.context.store.ask(lambda lent: lent.fetchval("select count(*) from account"))
    return count


async def test_it_is_said_where_one_can_sign_in(service: Service):
    assert ok(await service.http.get("/v1/sign-in")) == {"offered": True, "provider": "127.0.0.1"}


async def test_somebody_new_gets_a_player_and_on_another_machine_the_same_one(service: Service, provider: StandIn):
    ann, how = await signed_in(service, provider)
    assert (how, ann.name) == ("new", "Ann of Elsewhere")
    me = ok(await ann.get("/v1/me"))
    assert (me["player"], me["account"]) == (ann.player, True)

    there, how = await signed_in(service, provider)
    assert (there.player, how) == (ann.player, "known")
    assert there.token != ann.token
    assert len(ok(await ann.get("/v1/me/tokens"))) == 2


async def test_a_guest_who_has_matches_becomes_the_player_of_the_account(service: Service, provider: StandIn):
    table = await service.table()
    guest = table.guests[1]
    assert not ok(await guest.get("/v1/me"))["account"]

    ann, how = await signed_in(service, provider, guest)

    assert (ann.player, ann.name, how) == (guest.player, guest.name, "linked")
    assert ok(await ann.get("/v1/me"))["account"]
    assert ok(await ann.get(table.path))["you"] == 1
    assert ok(await guest.get("/v1/me"))["player"] == guest.player  # the old token goes on
    elsewhere, how = await signed_in(service, provider)
    assert (elsewhere.player, how) == (guest.player, "known")
    assert ok(await elsewhere.get(table.path))["you"] == 1


async def test_a_guest_who_has_signed_in_before_is_the_player_of_then_and_the_guest_stays_another(
    service: Service, provider: StandIn
):
    ann, _ = await signed_in(service, provider)
    guest = await service.guest("Passing by")

    again, how = await signed_in(service, provider, guest)

    assert (again.player, how) == (ann.player, "known")
    assert not ok(await guest.get("/v1/me"))["account"]


async def test_two_people_at_one_browser_are_two_players(service: Service, provider: StandIn):
    ann, _ = await signed_in(service, provider)
    provider.person = {"sub": new_id(), "name": "Ben"}

    ben, how = await signed_in(service, provider, ann)

    assert (how, ben.name) == ("new", "Ben")
    assert ben.player != ann.player


async def test_of_many_at_once_with_one_account_all_get_the_same_player(service: Service, provider: StandIn):
    codes = [await back(service, provider, await service.guest(f"G{number}")) for number in range(6)]

    told = [ok(answer) for answer in await asyncio.gather(*(finished(service, body) for body in codes))]

    assert len({one["player"] for one in told}) == 1
    assert sorted(one["how"] for one in told) == ["known"] * 5 + ["linked"]


async def test_erasing_oneself_parts_the_account_and_who_signs_in_again_is_new(service: Service, provider: StandIn):
    ann, _ = await signed_in(service, provider)
    before = await accounts(service)
    under_way = await back(service, provider, ann)

    assert (await ann.delete("/v1/me")).status_code == 204

    assert await accounts(service) == before - 1
    problem(await finished(service, under_way), 422, "sign-in-refused")
    again, how = await signed_in(service, provider)
    assert how == "new"
    assert again.player != ann.player


async def test_of_a_person_only_what_cannot_be_read_is_kept(service: Service, provider: StandIn):
    provider.person |= {"email": "ann@elsewhere.example", "sub": "ann-who-can-be-read"}
    start = await back(service, provider)
    ok(await finished(service, start))

    for table in ("account", "sign_in", "player", "token", "claim"):
        rows = await service.context.store.ask(partial(every, table))
        text = " ".join(row[0] for row in rows)
        for told in ("ann-who-can-be-read", "elsewhere.example", start["state"], start["secret"], start["code"]):
            assert told not in text, table
            assert told.encode().hex() not in text, table


async def test_a_lost_answer_is_given_again_by_its_key_and_nobody_else_gets_it(service: Service, provider: StandIn):
    body, key = await back(service, provider), new_id()

    first = await finished(service, body, key)
    again = await finished(service, body, key)

    assert again.headers["idempotent-replay"] == "true"
    assert again.json() == first.json()
    problem(await finished(service, body, new_id()), 422, "sign-in-refused")
    problem(await finished(service, body), 422, "sign-in-refused")
    ann = Guest(service.http, first.json()["player"], "", first.json()["token"])
    assert len(ok(await ann.get("/v1/me/tokens"))) == 1
    # and once the token has ended, it does not come back
    assert (await ann.delete("/v1/me/tokens")).status_code == 204
    problem(await finished(service, body, key), 422, "key-reused")


async def test_a_sign_in_begun_twice_by_one_key_is_one(service: Service, provider: StandIn):
    key = new_id()
    assert await begun(service, key=key) == await begun(service, key=key)
    assert await begun(service, key=key) != await begun(service, key=new_id())
    assert await begun(service, key=key) != await begun(service, await service.guest(), key=key)


# --- what is refused ---


async def refused(service: Service, body: dict[str, str]) -> str:
    before = await accounts(service)
    detail: str = problem(await finished(service, body), 422, "sign-in-refused")["detail"]
    assert await accounts(service) == before
    return detail


def _set(**values: Any) -> Twist:
    return lambda claims, _: claims.update(values)


def _without(name: str) -> Twist:
    def twist(claims: dict[str, Any], _: object) -> None:
        del claims[name]

    return twist


def _header(**values: Any) -> Twist:
    return lambda _, header: header.update(values)


@pytest.mark.parametrize(
    "twist",
    [
        pytest.param(_set(nonce="another"), id="wrong nonce"),
        pytest.param(_without("nonce"), id="no nonce"),
        pytest.param(_set(aud="somebody else"), id="wrong audience"),
        pytest.param(_set(aud=["kibitz", "another"]), id="several audiences and no party"),
        pytest.param(_set(azp="another"), id="wrong party"),
        pytest.param(_without("aud"), id="no audience"),
        pytest.param(_set(iss="https://evil.example"), id="wrong issuer"),
        pytest.param(_without("iss"), id="no issuer"),
        pytest.param(lambda claims, _: claims.update(exp=claims["iat"] - 61), id="expired"),
        pytest.param(_without("exp"), id="no end"),
        pytest.param(lambda claims, _: claims.update(iat=claims["iat"] + 600), id="from the future"),
        pytest.param(_without("iat"), id="no beginning"),
        pytest.param(_without("sub"), id="nobody"),
        pytest.param(_set(sub=""), id="empty subject"),
        pytest.param(_set(sub=17), id="a subject that is no text"),
        pytest.param(_set(sub="x" * 256), id="a subject that is too long"),
        pytest.param(_header(alg="none"), id="not signed"),
        pytest.param(_header(alg="HS256"), id="signed by the public key"),
        pytest.param(_header(kid="unknown"), id="unknown key"),
    ],
)
async def test_an_id_token_that_is_not_right_is_refused(service: Service, provider: StandIn, twist: Twist):
    provider.twist = twist
    detail = await refused(service, await back(service, provider))
    assert detail.startswith("the provider's ID token")


async def test_an_id_token_signed_by_a_strangers_key_is_refused(service: Service, provider: StandIn):
    provider.signer = RSAKey.generate_key(2048, {"kid": str(provider.keys[-1].kid)}, auto_kid=False)
    assert "not to be believed" in await refused(service, await back(service, provider))


async def test_a_new_key_of_the_provider_is_found(service: Service, provider: StandIn):
    await signed_in(service, provider)
    provider.keys.append(RSAKey.generate_key(2048, {"kid": new_id(), "use": "sig"}, auto_kid=False))
    _, how = await signed_in(service, provider)
    assert how == "known"


async def test_a_code_is_taken_once_and_not_for_another_sign_in(service: Service, provider: StandIn):
    first, second = await back(service, provider), await back(service, provider)
    # the code of one with state and secret of another: the verifier does not fit
    await refused(service, second | {"code": first["code"]})
    # which is used up by that, as is the code
    await refused(service, second)
    await refused(service, first)
    third = await back(service, provider)
    ok(await finished(service, third))
    await refused(service, third)
    await refused(service, await back(service, provider) | {"code": third["code"]})


async def test_only_who_began_finishes(service: Service, provider: StandIn):
    """A link that an attacker has made, opened by a victim: the victim's code is of no use to the attacker without the
    state's secret, nor the attacker's to the victim.
    """
    attacker, victim = await back(service, provider), await back(service, provider)

    await refused(service, victim | {"secret": attacker["secret"]})
    await refused(service, {**attacker, "state": victim["state"]})
    await refused(service, attacker | {"secret": "guess"})
    await refused(service, attacker | {"state": "guess"})
    await refused(service, attacker | {"iss": "https://evil.example"})
    assert ok(await finished(service, victim))["how"] == "new"  # none of this has used it up


async def test_a_sign_in_that_was_begun_too_long_ago_is_refused(service: Service, provider: StandIn):
    body = await back(service, provider)
    state = token_hash(body["state"])
    statement = "update sign_in set begun = begun - interval '601 seconds' where state = $1"
    await service.context.store.ask(lambda lent: lent.execute(statement, state))

    await refused(service, body)
    await begun(service)  # which forgets what is old
    left = await service.context.store.ask(
        lambda lent: lent.fetchval("select count(*) from sign_in where state = $1", state)
    )
    assert left == 0


async def test_half_a_character_is_no_name_and_nobody(service: Service, provider: StandIn):
    provider.twist = lambda claims, _: claims.update(name="\udc00 Ann")
    who, _ = await signed_in(service, provider)
    assert who.name == "Player"

    provider.twist = lambda claims, _: claims.update(sub="\ud800")
    problem(await finished(service, await back(service, provider)), 422, "sign-in-refused")


async def test_those_who_wait_while_another_asks_in_vain_do_not_ask_one_after_another(provider: StandIn):
    asked = Provider(provider.issuer, CLIENT, SECRET, provider.redirect, "openid")
    provider.away, provider.asked = True, {}

    told = await asyncio.gather(
        *(asked.address("state", "nonce", "verifier") for _ in range(20)), return_exceptions=True
    )

    await asked.close()
    assert {type(answer) for answer in told} == {ProviderAway}
    assert provider.asked == {"/.well-known/openid-configuration": 1}


async def test_a_provider_that_is_away_is_waited_for_and_the_same_request_may_be_sent_again(
    service: Service, provider: StandIn
):
    body, key = await back(service, provider), new_id()
    provider.away = True
    answer = await finished(service, body, key)
    problem(answer, 503, "unavailable")
    assert answer.headers["retry-after"] == "5"

    provider.away = False
    assert ok(await finished(service, body, key))["how"] == "new"


@pytest.mark.parametrize("text", ["\0", "\u2028", "é" * 4096, "%00", "a b&c=d", "😀"])
async def test_whatever_comes_for_state_secret_or_code_is_refused_in_words(
    service: Service, provider: StandIn, text: str
):
    body = {name: await back(service, provider) for name in ("state", "secret", "code")}
    for name, right in body.items():
        problem(await finished(service, right | {name: text}), 422, "sign-in-refused")
    problem(await finished(service, dict.fromkeys(("state", "secret", "code"), text)), 422, "sign-in-refused")


@pytest.mark.parametrize("body", [{}, {"state": "x"}, {"state": "x", "secret": "y", "code": ""}, {"state": 1}])
async def test_what_is_no_sign_in_is_not_understood(service: Service, provider: StandIn, body: dict[str, str]):
    problem(await finished(service, body), 400, "not-understood")


async def test_names_of_the_provider_are_shown_as_names_or_not_at_all(service: Service, provider: StandIn):
    provider.person |= {"name": "\u202eevil\u202c", "nickname": " ", "preferred_username": "x" * 60}
    ann, _ = await signed_in(service, provider)
    assert ann.name == "x" * 40

    provider.person = {"sub": new_id(), "name": 17}
    nameless, _ = await signed_in(service, provider)
    assert nameless.name == "Player"


@pytest.mark.parametrize("wrong", ["another issuer", "an address that is not safe"])
async def test_a_provider_that_is_not_what_it_should_be_is_not_asked(
    fresh_database: Callable[[], str], redis_url: str, wrong: str, monkeypatch: pytest.MonkeyPatch
):
    async with provided() as provider:
        told = provider.metadata() | (
            {"issuer": "https://evil.example"}
            if wrong == "another issuer"
            else {"token_endpoint": "http://evil.example/"}
        )
        monkeypatch.setattr(provider, "metadata", lambda: told)
        async with serving(fresh_database(), redis_url, **known_to(provider)) as service:
            problem(await service.http.post("/v1/sign-in", json={}), 503, "unavailable")


@pytest.mark.parametrize("ending", ["all", "all others", "that one", "by another"])
async def test_a_sign_in_that_was_begun_with_a_token_ends_with_it(service: Service, provider: StandIn, ending: str):
    anna = await service.guest()
    made = ok(await anna.post("/v1/me/tokens"))
    thief = Guest(anna.http, anna.player, anna.name, made["token"])
    under_way = await back(service, provider, thief)

    match ending:
        case "all":
            assert (await anna.delete("/v1/me/tokens")).status_code == 204
        case "all others":
            assert (await anna.http.delete("/v1/me/tokens?but=this", headers=anna.auth)).status_code == 204
        case "that one":
            assert (await anna.delete(f"/v1/me/tokens/{made['id']}")).status_code == 204
        case "by another":
            ok(await thief.post("/v1/me/tokens", {"old_seconds": 0}))

    problem(await finished(service, under_way), 422, "sign-in-refused")
    assert not await service.context.store.has_account(anna.player)
