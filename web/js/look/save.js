// Gives the reader a file.

/**
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function saveAs(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser may read it a little later
}
