// Where the client begins: the texts first, then the frame, then the page that the address names.

import { language, need } from "./i18n.js";
import { start } from "./router.js";
import "./shell.js";
import { identity } from "./api.js";
import { keysFrom } from "./storage.js";

document.documentElement.lang = language();
document.getElementById("skip")?.addEventListener("click", (event) => {
  event.preventDefault(); // the hash of an address names a page here
  document.getElementById("main")?.focus();
});
await need("core");
document.getElementById("shell")?.replaceChildren(document.createElement("kb-shell"));
if (location.pathname === "/signed-in") await (await import("./signing.js")).comeBack();
await start();
if (keysFrom("kibitz.seed.").length) (await import("./seeds.js")).keep();
if (identity()) (await import("./renewing.js")).renew();
