// Light or dark, as the person chose; without a choice the system decides.
// A small classic script in the head: it must run before the first paint.
(() => {
  const root = document.documentElement;
  const key = "evalsite.theme";
  root.dataset.js = "";

  const remembered = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage is switched off: the choice lasts for this page
    }
  };

  const chosen = remembered();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  const isDark = () =>
    root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;

  const label = () => {
    for (const button of document.querySelectorAll("[data-theme-toggle]"))
      button.setAttribute("aria-pressed", String(isDark()));
  };

  document.addEventListener("DOMContentLoaded", label);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(key, root.dataset.theme);
    } catch {
      // nothing to remember it with
    }
    label();
    root.dispatchEvent(new CustomEvent("themechange"));
  });
})();
