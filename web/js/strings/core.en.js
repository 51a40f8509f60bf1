// The frame, the lobby and everything around the tables, in English.

/** @type {{ [key: string]: import("../i18n.js").Text }} */
export default {
  "nav.skip": "Skip to the page",
  "nav.home": "Kibitz, to the lobby",
  "nav.label": "Pages",
  "nav.lobby": "Lobby",
  "nav.new": "New table",
  "nav.leaderboard": "Leaderboard",
  "nav.rules": "Rules",
  "nav.me": "Me",
  "nav.language": "Language",
  "nav.theme": "Colours",
  "theme.auto": "Auto",
  "theme.light": "Light",
  "theme.dark": "Dark",
  "connection.live": "Connected",
  "connection.connecting": "Connecting …",
  "connection.offline": "No connection",

  "error.again": "Try again",
  "error.home": "To the lobby",
  "error.own": "This page has made a mistake",
  "error.nowhere": "There is no such page",
  "error.nowhere.more": "The address names nothing that Kibitz has. Perhaps a part of the link is missing.",
  "error.offline": "Kibitz cannot be reached",
  "error.offline.more": "The network is gone, or the service is. Nothing is lost: what you do is sent again when it is back.",

  "me.guest": "Guest {number}",
};
