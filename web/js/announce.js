// Says something to whoever does not look: by the live region of the page, which screen readers read out.

/**
 * @param {string} text
 * @param {{ urgent?: boolean }} [how] urgent: at once, before what is being read
 */
export function announce(text, { urgent = false } = {}) {
  const region = document.getElementById(urgent ? "alerts" : "news");
  if (!region) return;
  region.textContent = "";
  setTimeout(() => (region.textContent = text), 50); // the same text twice is two announcements
}
