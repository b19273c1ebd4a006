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

  // The palette, by its button or Ctrl/⌘-K; its module is fetched when it is first asked for.
  const palette = (event) => {
    const link = document.querySelector("a[data-palette]");
    if (!link) return;
    event.preventDefault();
    import(link.dataset.module).then((module) => module.open(), () => location.assign(link.href));
  };
  const writes = (target) =>
    target.matches?.("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=submit])");

  document.addEventListener("keydown", (event) => {
    const asked = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!asked || event.key.toLowerCase() !== "k" || event.isComposing) return;
    if (!writes(event.target) && !document.querySelector("dialog[open]")) palette(event);
  });
  document.addEventListener("click", (event) => {
    const aside = event.ctrlKey || event.metaKey || event.shiftKey;
    if (event.target.closest("a[data-palette]") && !aside) palette(event);
  });
})();
