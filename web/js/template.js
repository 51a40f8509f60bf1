// Templates: HTML and SVG with values in them, and patching a page to look like a newer one.
//
//   html`<button class="quiet" disabled=${busy} @click=${() => leave()}>${label}</button>`
//
// Only the literal part of a template is ever parsed as HTML. A value is set as text, as a node, as the value of an
// attribute, as a property (.live=${table}) or as a listener (@click=${act}), so nothing that a player or a server
// says can become markup. An attribute whose whole value is false, null or undefined is left out; true leaves it empty.
// Text may hold strings, numbers, nodes and lists of them. Values do not go into <textarea>, <style> or <title>.

const trusted = /** @type {any} */ (globalThis).trustedTypes;
const policy = trusted?.createPolicy("kibitz", {
  createHTML: (/** @type {string} */ text) => text,
  createScriptURL: (/** @type {string} */ path) => {
    if (!/^\/(web|verifier)\/[a-z0-9_./-]+\.js$/.test(path)) throw new TypeError(`${path} is no script of ours`);
    return path;
  },
});
const MARK = "kb-value-";
const MARKED = /kb-value-(\d+)-/;
const ASIDE = "kb-set";

/** @type {WeakMap<TemplateStringsArray, HTMLTemplateElement>} */
const prepared = new WeakMap();
/** @type {WeakMap<Element, Map<string, (event: any) => void>>} */
const listeners = new WeakMap();
/** @type {WeakMap<Element, Map<string, unknown>>} */
const properties = new WeakMap();

/**
 * A fragment of HTML.
 * @param {TemplateStringsArray} strings
 * @param {...any} values
 */
export function html(strings, ...values) {
  return filled(prepare(strings, false), values);
}

/**
 * A fragment of what stands inside an <svg>.
 * @param {TemplateStringsArray} strings
 * @param {...any} values
 */
export function svg(strings, ...values) {
  const whole = filled(prepare(strings, true), values);
  const inside = document.createDocumentFragment();
  const outer = whole.firstElementChild;
  if (outer) inside.append(...outer.childNodes);
  return inside;
}

/**
 * The address of one of our scripts, as a Worker takes it where the page's policy is strict.
 * @param {string} path below /web/ or /verifier/
 * @returns {string}
 */
export function scriptUrl(path) {
  return policy ? policy.createScriptURL(path) : path;
}

/**
 * @param {TemplateStringsArray} strings
 * @param {boolean} drawing
 */
function prepare(strings, drawing) {
  let template = prepared.get(strings);
  if (!template) {
    let text = "";
    strings.forEach((part, place) => {
      text += part;
      if (place === strings.length - 1) return;
      const inTag = text.lastIndexOf("<") > text.lastIndexOf(">");
      text += inTag ? `${MARK}${place}-` : `<!--${MARK}${place}--->`;
    });
    template = document.createElement("template");
    const whole = drawing ? `<svg>${text}</svg>` : text;
    template.innerHTML = policy ? policy.createHTML(whole) : whole;
    for (const element of template.content.querySelectorAll("*")) setAside(element, strings);
    prepared.set(strings, template);
  }
  return template;
}

/**
 * Takes the attributes that have values off an element and notes them, so that no browser ever reads a mark as one.
 * @param {Element} element
 * @param {TemplateStringsArray} strings
 */
function setAside(element, strings) {
  const marked = [...element.attributes].filter(({ value }) => MARKED.test(value));
  if (marked.length === 0) return;
  const parts = marked.map(({ name, value }) => {
    const place = Number(MARKED.exec(value)?.[1]);
    return [/([@.][\w-]+)=["']?$/.exec(strings[place])?.[1] ?? name, value]; // a parsed name has lost its capitals
  });
  for (const { name } of marked) element.removeAttribute(name);
  element.setAttribute(ASIDE, JSON.stringify(parts));
}

/**
 * @param {HTMLTemplateElement} template
 * @param {any[]} values
 */
function filled(template, values) {
  const fragment = document.importNode(template.content, true);
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
  /** @type {[Comment, any][]} */
  const texts = [];
  /** @type {(() => void)[]} */
  const last = []; // a property may need the children: the value of a <select> its options
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Comment) {
      const found = MARKED.exec(node.data);
      if (found) texts.push([node, values[Number(found[1])]]);
    } else if (node instanceof Element && node.hasAttribute(ASIDE)) {
      fill(node, values, last);
    }
  }
  for (const [comment, value] of texts) comment.replaceWith(...nodes(value));
  for (const set of last) set();
  return fragment;
}

/**
 * @param {Element} element
 * @param {any[]} values
 * @param {(() => void)[]} last
 */
function fill(element, values, last) {
  /** @type {[string, string][]} */
  const parts = JSON.parse(element.getAttribute(ASIDE) ?? "[]");
  element.removeAttribute(ASIDE);
  for (const [name, value] of parts) {
    const found = /** @type {RegExpExecArray} */ (MARKED.exec(value));
    const given = values[Number(found[1])];
    const whole = found[0] === value;
    if (name.startsWith("@")) {
      listen(element, name.slice(1), given);
    } else if (name.startsWith(".")) {
      const key = name.slice(1);
      remember(properties, element, key, given);
      last.push(() => assign(element, key, given));
    } else if (!whole || (given !== false && given !== null && given !== undefined)) {
      const text = value.replaceAll(/kb-value-(\d+)-/g, (_, place) => said(values[Number(place)]));
      element.setAttribute(name, whole && given === true ? "" : text);
    }
  }
}

/** @param {any} value */
function said(value) {
  return value === null || value === undefined || value === false ? "" : String(value);
}

/**
 * @param {any} value
 * @returns {(Node | string)[]}
 */
function nodes(value) {
  if (value instanceof Node) return [value];
  if (Array.isArray(value)) return value.flatMap(nodes);
  return value === null || value === undefined || value === false ? [] : [String(value)];
}

/**
 * @template T
 * @param {WeakMap<Element, Map<string, T>>} where
 * @param {Element} element
 * @param {string} key
 * @param {T} value
 */
function remember(where, element, key, value) {
  const known = where.get(element) ?? new Map();
  known.set(key, value);
  where.set(element, known);
}

/**
 * @param {Element} element
 * @param {string} type
 * @param {(event: any) => void} act
 */
function listen(element, type, act) {
  if (!listeners.get(element)?.has(type)) element.addEventListener(type, heard);
  remember(listeners, element, type, act);
}

/** @param {Event} event */
function heard(event) {
  const at = /** @type {Element} */ (event.currentTarget);
  listeners.get(at)?.get(event.type)?.call(at, event);
}

/**
 * @param {any} element
 * @param {string} key
 * @param {unknown} value
 */
function assign(element, key, value) {
  if (element[key] !== value) element[key] = value;
}

/**
 * Makes the children of `parent` what `wanted` holds. Nodes that are alike stay where they are, with their focus,
 * selection and scroll position; `data-key` tells brothers apart that move. What one of our own elements (`kb-...`)
 * has inside is its own affair.
 * @param {Node} parent
 * @param {Node} wanted
 */
export function patch(parent, wanted) {
  /** @type {Map<string, Element>} */
  const keyed = new Map();
  for (const child of parent.childNodes) {
    const key = keyOf(child);
    if (key !== null) keyed.set(key, /** @type {Element} */ (child));
  }
  let next = parent.firstChild;
  for (const fresh of [...wanted.childNodes]) {
    const key = keyOf(fresh);
    const known = key === null ? next : (keyed.get(key) ?? null);
    if (known && alike(known, fresh)) {
      if (known === next) next = next.nextSibling;
      else parent.insertBefore(known, next);
      update(known, fresh);
    } else {
      parent.insertBefore(fresh, next);
    }
  }
  while (next) {
    const after = next.nextSibling;
    next.remove();
    next = after;
  }
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof Element ? node.getAttribute("data-key") : null;
}

/**
 * @param {Node} known
 * @param {Node} fresh
 */
function alike(known, fresh) {
  return known.nodeType === fresh.nodeType && known.nodeName === fresh.nodeName && keyOf(known) === keyOf(fresh);
}

/**
 * @param {Node} known
 * @param {Node} fresh
 */
function update(known, fresh) {
  if (!(known instanceof Element) || !(fresh instanceof Element)) {
    if (known.nodeValue !== fresh.nodeValue) known.nodeValue = fresh.nodeValue;
    return;
  }
  const own = known.localName.startsWith("kb-");
  for (const { name, value } of fresh.attributes) {
    if (known.getAttribute(name) !== value) known.setAttribute(name, value);
  }
  for (const { name } of [...known.attributes]) {
    if (!fresh.hasAttribute(name) && !isOwn(known, own, name)) known.removeAttribute(name);
  }
  const acts = listeners.get(fresh) ?? new Map();
  for (const [type, act] of acts) listen(known, type, act);
  for (const type of listeners.get(known)?.keys() ?? []) if (!acts.has(type)) listen(known, type, () => {});
  if (!own) patch(known, fresh);
  for (const [key, value] of properties.get(fresh) ?? []) {
    remember(properties, known, key, value);
    assign(known, key, value);
  }
}

/**
 * Whether an attribute that a template does not name is there because the element, or its user, has set it.
 * @param {Element} element
 * @param {boolean} own
 * @param {string} name
 */
function isOwn(element, own, name) {
  if (name === "style") return true; // the policy allows it from code only
  if (own) return !(/** @type {any} */ (element.constructor).observedAttributes ?? []).includes(name);
  return name === "open" && (element.localName === "details" || element.localName === "dialog");
}
