"use strict";
// Shows /openapi.json as a page and lets every operation be tried. No other file, no other server.

const METHODS = ["get", "post", "patch", "delete"];

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

// Texts of the document: paragraphs, lists with "* ", `code` and **strong**. Nothing is ever parsed as HTML.
function prose(text) {
  const box = make("div");
  let list = null;
  for (const block of text.split(/\n(?=\* )|\n\n/)) {
    const item = block.startsWith("* ");
    const line = make(item ? "li" : "p");
    for (const part of (item ? block.slice(2) : block).split(/(`[^`]*`|\*\*[^*]*\*\*)/)) {
      if (part.startsWith("`")) line.append(make("code", { text: part.slice(1, -1) }));
      else if (part.startsWith("**")) line.append(make("strong", { text: part.slice(2, -2) }));
      else line.append(part);
    }
    if (item) {
      if (!list) box.append((list = make("ul")));
      list.append(line);
    } else {
      list = null;
      box.append(line);
    }
  }
  return box;
}

function resolve(doc, value) {
  if (!value || !value.$ref) return value;
  return value.$ref.slice(2).split("/").reduce((inside, step) => inside[step.replace(/~1/g, "/")], doc);
}

function typeName(schema) {
  if (!schema) return "text";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const many = schema.anyOf || schema.oneOf;
  if (many) return many.map(typeName).join(" | ");
  if (schema.type === "array") return `[${typeName(schema.items)}]`;
  return schema.format || schema.type || "anything";
}

function schemaView(doc, schema, depth) {
  const known = resolve(doc, schema);
  const box = make("div");
  if (known.description) box.append(prose(known.description));
  if (known.properties) {
    const table = make("table");
    const required = known.required || [];
    for (const [name, inner] of Object.entries(known.properties)) {
      const about = make("td");
      if (inner.description) about.append(prose(inner.description));
      if (inner.default !== undefined) about.append(make("div", { text: `default ${JSON.stringify(inner.default)}` }));
      const deeper = inner.$ref ? inner : inner.items && inner.items.$ref ? inner.items : null;
      if (deeper && depth > 0) about.append(lazily(typeName(deeper), () => schemaView(doc, deeper, depth - 1)));
      table.append(make("tr", {},
        make("td", {}, make("code", { text: name }), required.includes(name) ? "" : " ?"),
        make("td", {}, make("code", { text: typeName(inner) })), about));
    }
    box.append(table);
    return box;
  }
  const many = known.anyOf || known.oneOf;
  const parts = many || (known.items && known.items.$ref ? [known.items] : null);
  if (parts) {
    for (const part of parts) {
      if (part.$ref && depth > 0) box.append(lazily(typeName(part), () => schemaView(doc, part, depth - 1)));
      else box.append(make("code", { text: typeName(part) + " " }));
    }
    return box;
  }
  box.append(make("pre", { text: JSON.stringify(known, null, 2) }));
  return box;
}

function lazily(title, build) {
  const details = make("details", {}, make("summary", { text: title }));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(build());
  });
  return details;
}

function contentView(doc, content) {
  const box = make("div");
  for (const [media, entry] of Object.entries(content || {})) {
    box.append(make("div", {}, make("code", { text: media })));
    if (entry.schema) box.append(lazily(typeName(entry.schema), () => schemaView(doc, entry.schema, 6)));
    for (const [name, given] of Object.entries(entry.examples || {})) {
      const example = resolve(doc, given);
      box.append(lazily(`example: ${name}`, () => make("pre", { text: JSON.stringify(example.value, null, 2) })));
    }
  }
  return box;
}

function operationView(doc, path, method, operation) {
  const article = make("article", { id: operation.operationId });
  article.append(make("h3", {},
    make("span", { class: `method ${method}`, text: method }), make("span", { class: "path", text: path })));
  article.append(make("p", {}, make("strong", { text: operation.summary })));
  if (operation.description) article.append(prose(operation.description));
  const parameters = operation.parameters || [];
  if (parameters.length) {
    const table = make("table");
    for (const one of parameters) {
      table.append(make("tr", {},
        make("td", {}, make("code", { text: one.name }), one.required ? "" : " ?"),
        make("td", { text: one.in }),
        make("td", {}, make("code", { text: typeName(one.schema) })),
        make("td", {}, prose(one.description || ""))));
    }
    article.append(make("h4", { text: "Parameters" }), table);
  }
  const body = operation.requestBody;
  if (body) article.append(make("h4", { text: body.required ? "Body" : "Body (may be left out)" }), contentView(doc, body.content));
  article.append(make("h4", { text: "Answers" }));
  for (const [status, answer] of Object.entries(operation.responses)) {
    article.append(make("details", {},
      make("summary", {}, make("code", { class: status >= "400" ? "problem" : "", text: status }), " ", ...prose(answer.description).firstChild.childNodes),
      contentView(doc, answer.content)));
  }
  article.append(lazily("Try it", () => tryView(path, method, operation)));
  return article;
}

function tryView(path, method, operation) {
  const inputs = new Map();
  const form = make("div");
  for (const one of operation.parameters || []) {
    const input = make("input", { "aria-label": one.name, placeholder: one.in });
    inputs.set(one, input);
    form.append(make("label", {}, `${one.name} `, input, " "));
  }
  let body = null;
  if (operation.requestBody) {
    const content = operation.requestBody.content["application/json"];
    const first = Object.values(content.examples || {})[0];
    body = make("textarea", { "aria-label": "body" });
    body.value = first ? JSON.stringify(first.value, null, 2) : "{}";
    form.append(body);
  }
  const shown = make("pre", { text: "" });
  const send = async () => {
    let target = path;
    const query = new URLSearchParams();
    const headers = {};
    for (const [one, input] of inputs) {
      if (one.in === "path") target = target.replace(`{${one.name}}`, encodeURIComponent(input.value));
      else if (input.value !== "" && one.in === "query") query.set(one.name, input.value);
      else if (input.value !== "") headers[one.name] = input.value;
    }
    const token = document.getElementById("token").value.trim();
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body) headers["Content-Type"] = "application/json";
    shown.textContent = "...";
    try {
      const asked = query.size ? `${target}?${query}` : target;
      const answer = await fetch(asked, { method: method.toUpperCase(), headers, body: body ? body.value : undefined });
      shown.textContent = `${answer.status} ${answer.statusText}\n`;
      for (const [name, value] of answer.headers) shown.textContent += `${name}: ${value}\n`;
      shown.textContent += "\n";
      if ((answer.headers.get("content-type") || "").startsWith("text/event-stream")) await follow(answer, shown);
      else shown.textContent += pretty(await answer.text());
    } catch (error) {
      shown.textContent = String(error);
    }
  };
  form.append(make("p", {}, make("button", { type: "button", text: "Send", onclick: send })), shown);
  return form;
}

async function follow(answer, shown) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done && shown.isConnected; read = await reader.read()) {
    shown.textContent += read.value;
  }
  await reader.cancel();
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function show(doc) {
  const nav = document.getElementById("nav");
  const main = document.getElementById("main");
  document.title = `${doc.info.title} API ${doc.info.version}`;
  document.getElementById("title").textContent = document.title;
  main.replaceChildren(prose(doc.info.description));
  for (const { name } of doc.tags) {
    nav.append(make("h2", { text: name }));
    main.append(make("h2", { text: name }));
    for (const [path, item] of Object.entries(doc.paths)) {
      for (const method of METHODS) {
        const operation = item[method];
        if (!operation || !operation.tags.includes(name)) continue;
        const words = `${method} ${path} ${operation.summary} ${operation.description || ""}`.toLowerCase();
        nav.append(make("a", { href: `#${operation.operationId}`, "data-words": words },
          make("span", { class: `method ${method}`, text: method }), operation.summary));
        const view = operationView(doc, path, method, operation);
        view.dataset.words = words;
        main.append(view);
      }
    }
  }
  document.getElementById("find").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const node of document.querySelectorAll("[data-words]")) node.hidden = !node.dataset.words.includes(wanted);
  });
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

fetch("/openapi.json")
  .then((answer) => answer.json())
  .then(show)
  .catch((error) => { document.getElementById("loading").textContent = `The document could not be read: ${error}`; });
