// The first steps: Escape puts them away while the focus is among them, as the button does.

const guide = document.querySelector("[data-first-steps]");

/** Whether Escape belongs to something that floats above the page. */
const floats = () => document.querySelector("dialog[open], [popover]:popover-open") !== null;

guide?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || floats()) return;
  event.preventDefault();
  guide.querySelector('input[value="away"]').form.requestSubmit();
});
