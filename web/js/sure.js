// Asks before something that cannot be taken back.

import { html } from "./element.js";
import { t } from "./i18n.js";

/**
 * Whether the reader is sure.
 * @param {string} title
 * @param {string} text what will happen
 * @param {string} yes what saying yes is called
 * @returns {Promise<boolean>}
 */
export function sure(title, text, yes) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "sure-title");
  const close = (/** @type {string} */ said) => () => dialog.close(said);
  dialog.append(html`<div class="stack"><h2 id="sure-title">${title}</h2><p>${text}</p>
    <p class="row"><button type="button" class="quiet" autofocus @click=${close("no")}>${t("sure.no")}</button>
    <button type="button" class="danger" @click=${close("yes")}>${yes}</button></p></div>`);
  document.body.append(dialog);
  dialog.showModal();
  const left = close("no"); // the way back leads away from the question, too
  window.addEventListener("hashchange", left);
  return new Promise((answer) => {
    dialog.addEventListener("close", () => {
      window.removeEventListener("hashchange", left);
      dialog.remove();
      answer(dialog.returnValue === "yes");
    });
  });
}
