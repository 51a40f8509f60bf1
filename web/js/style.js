// Styles of a part of the client, fetched when its first page is: the first view needs only tokens and page.

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/**
 * Returns when css/NAME.css is in force.
 * @param {string} name
 * @returns {Promise<void>}
 */
export function style(name) {
  let sheet = sheets.get(name);
  if (!sheet) {
    sheet = new Promise((done, failed) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = `/web/css/${name}.css`;
      link.onload = () => done();
      link.onerror = () => (sheets.delete(name), failed(new Error(`css/${name}.css is not there`)));
      document.head.append(link);
    });
    sheets.set(name, sheet);
  }
  return sheet;
}
