// Runs before the first paint: the page has the colours and the language that its reader chose the last time.
(() => {
  try {
    const theme = localStorage.getItem("kibitz.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    const language = localStorage.getItem("kibitz.language");
    if (language === "en" || language === "hu" || language === "ru") document.documentElement.lang = language;
  } catch {
    // a browser that keeps nothing follows the system
  }
})();
