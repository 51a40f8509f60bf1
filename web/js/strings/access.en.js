// Signing in and out, and the keys of a player, in English.

/** @type {{ [key: string]: import("../i18n.js").Text }} */
export default {
  "access.in": "Sign in",
  "access.in.guest": "Then you are the same player on every machine, with the matches that you have now. If you have signed in before, you become the player of then, and this guest stays another.",
  "access.in.nobody": "You become the player that you were when you last signed in, or a new one.",
  "access.in.at": "Sign in at {provider}",
  "access.nowhere": "There is no way back to this player: nobody can sign in here. You can go on as a new guest.",
  "access.out": "Sign out here",
  "access.left": "You have signed out",
  "access.failed": "You are not signed in: the provider has sent you back without saying who you are, or you did not begin here.",
  "access.came.new": "Welcome, {name}. You have signed in for the first time.",
  "access.came.linked": "You can sign in as {name} from now on, on every machine. All your matches are still yours.",
  "access.came.known": "Welcome back, {name}.",
  "access.keys": "My keys",
  "access.keys.account": "Every browser in which you are signed in holds a key. A key that you end is void at once.",
  "access.keys.guest": "This browser holds the key to your seat. Nobody else can make you another: if it is lost, so is the guest.",
  "access.key.this": "This browser",
  "access.key.other": "Another browser",
  "access.key.times": "since {made}, until {expires}",
  "access.key.end": "End",
  "access.key.end.of": "End the key of {made}",
  "access.all": "End all keys",
  "access.all.account": "You are signed out everywhere, here too. You can sign in again.",
  "access.all.guest": "You have no account: nobody can be this player any more, for good.",
  "access.all.yes": "Yes, end all",
};
