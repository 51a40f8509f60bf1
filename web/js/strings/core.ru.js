// Рамка, зал и всё, что вокруг столов, по-русски.

/** @type {{ [key: string]: import("../i18n.js").Text }} */
export default {
  "nav.skip": "К содержанию страницы",
  "nav.home": "Kibitz, в зал",
  "nav.label": "Страницы",
  "nav.lobby": "Зал",
  "nav.new": "Новый стол",
  "nav.leaderboard": "Рейтинг",
  "nav.rules": "Правила",
  "nav.me": "Я",
  "nav.language": "Язык",
  "nav.theme": "Цвета",
  "theme.auto": "Авто",
  "theme.light": "Светлые",
  "theme.dark": "Тёмные",
  "connection.live": "На связи",
  "connection.connecting": "Соединение …",
  "connection.offline": "Нет связи",

  "error.again": "Повторить",
  "error.home": "В зал",
  "error.own": "Эта страница ошиблась",
  "error.nowhere": "Такой страницы нет",
  "error.nowhere.more": "По этому адресу в Kibitz ничего нет. Возможно, ссылка неполная.",
  "error.offline": "Kibitz недоступен",
  "error.offline.more": "Нет сети, или служба не отвечает. Ничего не потеряно: всё, что вы делаете, будет отправлено снова.",

  "me.guest": "Гость {number}",
};
