"""The titles and meanings of problems in other languages than English, which stands beside their shapes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from services.api.problem_types import ProblemType
from services.narration import languages


class Words(NamedTuple):
    """What a type of problem is called, and what it means."""

    title: str
    meaning: str


_HU: Final = {
    "not-understood": Words(
        "A kérés nem érthető",
        "A törzs nem JSON, vagy nem olyan alakú, amilyet a leírás megad; nem létező mező vagy lekérdezési paraméter, "
        "határon kívüli érték, kétszer elküldött fejléc. A `detail` megmondja, hol.",
    ),
    "unauthenticated": Words(
        "Ki vagy?",
        "A művelethez bearer token kell, vagy amit küldtél, nem token, illetve már nem az. Tokent a POST /v1/players "
        "ad.",
    ),
    "not-your-seat": Words(
        "Ez másnak a dolga",
        "Ezt csak más teheti meg: a széken ülő játékos, a házigazda vagy egy döntőbíró.",
    ),
    "forbidden": Words(
        "Ez nem tartozik rád",
        "A mérkőzésnek nincsenek nézői, vagy amit kértél, azt nem láthatod, vagy még nem láthatod.",
    ),
    "not-found": Words(
        "Ilyen nincs",
        "Nincs ilyen nevű mérkőzés, játékos, játék, verzió vagy útvonal.",
    ),
    "method-not-allowed": Words(
        "Az útvonal nem ismeri ezt a metódust",
        "Az `Allow` fejléc felsorolja, melyeket ismeri.",
    ),
    "out-of-turn": Words(
        "Nem te következel",
        "Egy másik szék van soron. Semmi sem változott.",
    ),
    "too-late": Words(
        "Letelt az időd",
        "A lépés a szék határideje után érkezett. Nem számít, akár lépett már helyette az óra, akár nem. Semmi sem "
        "változott.",
    ),
    "wrong-state": Words(
        "A mérkőzés most nem ott tart",
        "A mérkőzés még nem kezdődött el, vagy már véget ért; a szék foglalt; a mag már ismert; a vitában közben "
        "döntés született. Semmi sem változott.",
    ),
    "full": Words(
        "Nem fér bele több",
        "Semmi sem nőhet vég nélkül: egy mérkőzésben ennyi döntés, a kezdete előtt ennyi esemény lehet. A `detail` "
        "megmondja, mennyi. Semmi sem változott.",
    ),
    "ahead-of-match": Words(
        "A mérkőzés még nem tart ott",
        "A `Last-Event-ID` vagy az `after` olyan verziót nevez meg, ameddig a mérkőzés még nem jutott el, vagy a "
        "`head` olyan eseményt, amely (már) nincs benne: a szolgáltatást visszaállították. Kérd le újra az asztalt, "
        "és annak a verziójától kövesd.",
    ),
    "version-mismatch": Words(
        "A mérkőzés már továbbhaladt",
        "Az `If-Match` más verziót nevezett meg, mint ahol a mérkőzés tart. Az `events` tartalmazza, ami közben "
        "történt.",
    ),
    "too-slow": Words(
        "A kérés túl lassan érkezett",
        "A kérés feje vagy törzse nem érkezett meg időben. Kapcsolódj újra, és küldd el egyben.",
    ),
    "head-too-large": Words(
        "Túl nagy a kérés feje",
        "A fej legfeljebb 32768 bájt és 100 fejléc, egy cím legfeljebb 8000 bájt.",
    ),
    "too-large": Words(
        "Túl nagy a törzs",
        "Egy törzs legfeljebb 65536 bájt.",
    ),
    "unsupported-media-type": Words(
        "A törzs nem JSON",
        "Küldj `Content-Type: application/json` fejlécet.",
    ),
    "refused": Words(
        "A szabályok nem engedik",
        "A `clause` és a `clause_text` megmondja, melyik szabály; a `legal_hint` olyan lépéseket sorol fel, amelyek "
        "szabályosak volnának. Semmi sem változott.",
    ),
    "sign-in-refused": Words(
        "Nem sikerült bejelentkezned",
        "A bejelentkezés nem itt kezdődött, túl régen kezdődött, vagy már befejeződött; vagy a szolgáltató nem mondja "
        "meg, ki vagy, illetve úgy mondja, hogy az nem hihető. Kezdd újra.",
    ),
    "key-reused": Words(
        "A kulcs már egy másik kérésé",
        "Egy `Idempotency-Key` egyetlen kérést jelöl. Új kéréshez új kulcs kell.",
    ),
    "upgrade-required": Words(
        "Ez az útvonal WebSocket",
        "Az útvonal csak WebSocket-kézfogásra (RFC 6455) válaszol.",
    ),
    "not-offered": Words(
        "Ilyet itt nem lehet kérni",
        "A kérés rendben van, de amit kér, az ennél a játéknál nem létezik.",
    ),
    "too-many": Words(
        "Ne ilyen gyakran",
        "Egy címről percenként csak ennyi vendég jöhet, csak ennyi mérkőzés és vita nyitható, csak ennyi olyan "
        "mérkőzés követhető, ellenőrizhető és exportálható, amelyen a kérőnek nincs széke, és egyszerre csak ennyi "
        "kapcsolat lehet nyitva. A `Retry-After` megmondja, mikor próbáld újra. A lépéseket sohasem számoljuk.",
    ),
    "unavailable": Words(
        "Próbáld újra egy pillanat múlva",
        "A tároló most nem tud válaszolni. A `Retry-After` megmondja, mikor próbáld újra; ugyanazzal az "
        "`Idempotency-Key` kulccsal semmi sem történik meg kétszer.",
    ),
    "internal": Words(
        "A Kibitz hibázott",
        "Ez a szolgáltatás hibája. A naplóban a válasz kérésazonosítója alatt található meg.",
    ),
}

_RU: Final = {
    "not-understood": Words(
        "Запрос непонятен",
        "Тело — не JSON или не той формы, которая описана; поля или параметра запроса с таким именем нет; значение вне "
        "границ; заголовок прислан дважды. Где именно, сказано в `detail`.",
    ),
    "unauthenticated": Words(
        "Кто вы?",
        "Для этого действия нужен токен (bearer), а присланное — не токен или больше не токен. Токен даёт POST "
        "/v1/players.",
    ),
    "not-your-seat": Words(
        "Это не ваше дело",
        "Это может сделать только другой: игрок с этого места, хозяин стола или судья.",
    ),
    "forbidden": Words(
        "Вам этого видеть нельзя",
        "Зрители на этот матч не допускаются, или запрошенного вам видеть нельзя — совсем или пока.",
    ),
    "not-found": Words(
        "Такого нет",
        "Нет матча, игрока, игры, версии или пути с таким именем.",
    ),
    "method-not-allowed": Words(
        "Этот метод здесь не принимается",
        "Какие методы принимаются, сказано в заголовке `Allow`.",
    ),
    "out-of-turn": Words(
        "Сейчас не ваш ход",
        "Ход за другим местом. Ничего не изменилось.",
    ),
    "too-late": Words(
        "Ваше время вышло",
        "Ход пришёл после срока этого места. Он не засчитан, сделали ли уже часы свой ход или ещё нет. Ничего не "
        "изменилось.",
    ),
    "wrong-state": Words(
        "Матч сейчас не в том состоянии",
        "Матч ещё не начался или уже закончился; место занято; зерно уже раскрыто; по спору тем временем принято "
        "решение. Ничего не изменилось.",
    ),
    "full": Words(
        "Больше не помещается",
        "Ничто не растёт без конца: у матча бывает столько-то решений, а до начала столько-то событий. Сколько, "
        "сказано в `detail`. Ничего не изменилось.",
    ),
    "ahead-of-match": Words(
        "Матч до этого ещё не дошёл",
        "В `Last-Event-ID` или `after` названа версия, до которой матч не дошёл, или в `head` — событие, которого в "
        "нём (больше) нет: сервис был восстановлен. Запросите стол заново и следите с его версии.",
    ),
    "version-mismatch": Words(
        "Матч ушёл вперёд",
        "В `If-Match` названа не та версия, на которой сейчас матч. Всё пропущенное — в `events`.",
    ),
    "too-slow": Words(
        "Запрос приходил слишком долго",
        "Начало или тело запроса не пришло вовремя целиком. Соединитесь снова и пришлите его сразу.",
    ),
    "head-too-large": Words(
        "Начало запроса слишком большое",
        "В начале запроса может быть не больше 32768 байтов и 100 заголовков, в адресе — не больше 8000 байтов.",
    ),
    "too-large": Words(
        "Тело слишком большое",
        "В теле может быть не больше 65536 байтов.",
    ),
    "unsupported-media-type": Words(
        "Тело — не JSON",
        "Присылайте `Content-Type: application/json`.",
    ),
    "refused": Words(
        "Правила этого не разрешают",
        "Какое именно правило, сказано в `clause` и `clause_text`; в `legal_hint` — ходы, которые были бы приняты. "
        "Ничего не изменилось.",
    ),
    "sign-in-refused": Words(
        "Войти не удалось",
        "Вход начат не здесь, слишком давно или уже завершён; либо провайдер не говорит, кто вы, или говорит это так, "
        "что верить нельзя. Начните сначала.",
    ),
    "key-reused": Words(
        "Этот ключ — от другого запроса",
        "Один `Idempotency-Key` означает один запрос. Для нового запроса возьмите новый ключ.",
    ),
    "upgrade-required": Words(
        "Этот адрес для WebSocket",
        "Адрес отвечает только на рукопожатие WebSocket (RFC 6455).",
    ),
    "not-offered": Words(
        "Здесь такого не предлагают",
        "Запрос составлен верно, но того, о чём он просит, в этой игре нет.",
    ),
    "too-many": Words(
        "Не так часто",
        "С одного адреса за минуту может прийти лишь столько гостей, можно открыть лишь столько матчей и споров и лишь "
        "столько раз следить за матчами, в которых у просящего нет места, проверять и выгружать их; одновременно "
        "открыто может быть лишь столько соединений. Когда повторить, сказано в `Retry-After`. Ходы не считаются "
        "никогда.",
    ),
    "unavailable": Words(
        "Повторите чуть позже",
        "Хранилище сейчас не отвечает. Когда повторить, сказано в `Retry-After`; с тем же `Idempotency-Key` ничто не "
        "произойдёт дважды.",
    ),
    "internal": Words(
        "Kibitz допустил ошибку",
        "Это неисправность самого сервиса. В журнале она записана под идентификатором запроса из ответа.",
    ),
}

TRANSLATED: Final[Mapping[str, Mapping[str, Words]]] = MappingProxyType({"hu": _HU, "ru": _RU})
"""By language, by slug."""

LANGUAGES: Final = languages()
"""The languages that titles are in, English first: those of narration."""


def words(kind: ProblemType, language: str) -> Words:
    """The title and the meaning of a type of problem, in English where ``language`` does not have them."""
    return TRANSLATED.get(language, {}).get(kind.slug, Words(kind.title, kind.meaning))
