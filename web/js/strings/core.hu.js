// A keret, az előtér és minden, ami az asztalok körül van, magyarul.

/** @type {{ [key: string]: import("../i18n.js").Text }} */
export default {
  "nav.skip": "Ugrás az oldalra",
  "nav.home": "Kibitz, az előtérbe",
  "nav.label": "Oldalak",
  "nav.lobby": "Előtér",
  "nav.new": "Új asztal",
  "nav.leaderboard": "Ranglista",
  "nav.rules": "Szabályok",
  "nav.me": "Én",
  "nav.language": "Nyelv",
  "nav.theme": "Színek",
  "theme.auto": "Auto",
  "theme.light": "Világos",
  "theme.dark": "Sötét",
  "connection.live": "Kapcsolódva",
  "connection.connecting": "Kapcsolódás …",
  "connection.offline": "Nincs kapcsolat",

  "error.again": "Újra",
  "error.home": "Az előtérbe",
  "error.own": "Ez az oldal hibázott",
  "error.nowhere": "Nincs ilyen oldal",
  "error.nowhere.more": "A cím semmi olyat nem nevez meg, ami a Kibitzben van. Talán a hivatkozás egy része hiányzik.",
  "error.offline": "A Kibitz nem érhető el",
  "error.offline.more": "Nincs hálózat, vagy a szolgáltatás nem működik. Semmi sem vész el: amit teszel, újra elküldjük, ha visszatért.",

  "me.guest": "Vendég {number}",
};
