// The one small class that every component here extends: it renders into its own children (no shadow tree, so that
// styles, labels and screen readers see one page), when something has changed, and says when it comes and goes.
//
//   class Greeting extends Component {
//     #name = "";
//     get name() { return this.#name; }
//     set name(name) { this.#name = name; this.update(); }
//     render() { return html`<p>${t("greeting", { name: this.#name })}</p>`; }
//   }
//   define("kb-greeting", Greeting);

import { LANGUAGE_CHANGED } from "./i18n.js";
import { patch } from "./template.js";

export { html, svg } from "./template.js";

export class Component extends HTMLElement {
  #due = false;
  #left = new AbortController();

  /** Aborted when the element leaves the page: for requests and listeners that end with it. */
  get signal() {
    return this.#left.signal;
  }

  connectedCallback() {
    this.#left = new AbortController();
    this.listen(document, LANGUAGE_CHANGED, () => this.spoken());
    this.connected();
    this.update();
  }

  disconnectedCallback() {
    this.#left.abort();
    this.disconnected();
  }

  /** The element is on the page: time to listen and to fetch. */
  connected() {}

  /** The element has left the page. */
  disconnected() {}

  /** The reader has chosen another language. Whoever shows texts of the service fetches them anew. */
  spoken() {
    this.update();
  }

  /**
   * What the element shows now; null leaves the children as they are.
   * @returns {DocumentFragment | null}
   */
  render() {
    return null;
  }

  /** The page shows what `render` returned. */
  rendered() {}

  /** Something has changed: renders soon, once for all that changes until then. */
  update() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      if (!this.isConnected) return;
      const wanted = this.render();
      if (wanted) patch(this, wanted);
      this.rendered();
    });
  }

  /**
   * Listens until the element leaves the page.
   * @param {EventTarget} target
   * @param {string} type
   * @param {(event: any) => void} act
   */
  listen(target, type, act) {
    target.addEventListener(type, act, { signal: this.signal });
  }

  /**
   * Tells whoever has this element what has happened.
   * @param {string} type
   * @param {unknown} [detail]
   */
  tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }
}

/**
 * Makes `name` the tag of a component.
 * @param {string} name begins with `kb-`
 * @param {CustomElementConstructor} component
 */
export function define(name, component) {
  if (!customElements.get(name)) customElements.define(name, component);
}
