// The page of a file: what was unfolded stays so while an answer is kept and the page is drawn anew.

const page = () => document.getElementById("match");

let unfolded = new Set();

const named = () =>
  [...page().querySelectorAll("details")].map((one) => [
    one.querySelector("summary").id || one.querySelector("summary").textContent.trim(),
    one,
  ]);

document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target !== page()) return;
  unfolded = new Set(named().flatMap(([name, one]) => (one.open ? [name] : [])));
});

document.body.addEventListener("htmx:afterSettle", () => {
  for (const [name, one] of named()) if (unfolded.has(name)) one.open = true;
});
