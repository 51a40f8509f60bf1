// Be- és kijelentkezés, és egy játékos kulcsai, magyarul.

/** @type {{ [key: string]: import("../i18n.js").Text }} */
export default {
  "access.in": "Bejelentkezés",
  "access.in.guest": "Utána minden gépen ugyanaz a játékos vagy, a mostani mérkőzéseiddel együtt. Ha már bejelentkeztél korábban, az akkori játékos leszel, ez a vendég pedig külön marad.",
  "access.in.nobody": "Az a játékos leszel, aki a legutóbbi bejelentkezéskor voltál, vagy egy új.",
  "access.in.at": "Bejelentkezés itt: {provider}",
  "access.nowhere": "Ehhez a játékoshoz nincs visszaút: itt nem lehet bejelentkezni. Új vendégként folytathatod.",
  "access.out": "Kijelentkezés itt",
  "access.left": "Kijelentkeztél",
  "access.failed": "Nem vagy bejelentkezve: a szolgáltató úgy küldött vissza, hogy nem mondta meg, ki vagy, vagy nem itt kezdted.",
  "access.came.new": "Üdv, {name}! Most jelentkeztél be először.",
  "access.came.linked": "Mostantól minden gépen bejelentkezhetsz mint {name}. Minden mérkőzésed a tiéd maradt.",
  "access.came.known": "Üdv újra, {name}!",
  "access.keys": "Kulcsaim",
  "access.keys.account": "Minden böngésző, amelyben be vagy jelentkezve, őriz egy kulcsot. Amelyiket megszünteted, az rögtön érvénytelen.",
  "access.keys.guest": "A székedhez ez a böngésző őrzi a kulcsot. Másikat senki sem tud csinálni neked: ha elvész, a vendég is elveszett.",
  "access.key.this": "Ez a böngésző",
  "access.key.other": "Egy másik böngésző",
  "access.key.times": "{made} óta, lejár: {expires}",
  "access.key.end": "Megszüntetés",
  "access.key.end.of": "A(z) {made} óta élő kulcs megszüntetése",
  "access.all": "Minden kulcs megszüntetése",
  "access.all.account": "Mindenhol kijelentkezel, itt is. Utána újra bejelentkezhetsz.",
  "access.all.guest": "Nincs fiókod: ez a játékos többé senki sem lehet, véglegesen.",
  "access.all.yes": "Igen, mindet",
};
