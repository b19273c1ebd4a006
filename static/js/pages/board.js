// The board of the bank: dragging a card presses the button of its menu that leads to that column.
// Without this, and by keyboard, the menu does it all.

/** Return the moves of a card, of buttons {to, asks}: by column, whether a reason goes with it. */
export function ways(buttons) {
  return new Map(buttons.map(({ to, asks }) => [to, asks]));
}

function start(board, said) {
  let dragged = null;
  const columns = [...board.querySelectorAll("[data-column]")];
  const buttons = (card) => [...card.querySelectorAll("button[data-to]")];
  const open = (card) =>
    ways(buttons(card).map((one) => ({ to: one.dataset.to, asks: "asks" in one.dataset })));

  function clean() {
    for (const column of columns) column.classList.remove("may", "over");
    dragged?.classList.remove("dragged");
  }

  for (const card of board.querySelectorAll("[data-card]")) {
    if (buttons(card).length) card.draggable = true;
  }
  board.addEventListener("dragstart", (event) => {
    const card = event.target.closest?.("[data-card]");
    if (!card || event.target.closest("input")) return;
    dragged = card;
    card.classList.add("dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", card.querySelector(".asked").textContent.trim());
    const ready = open(card);
    for (const column of columns) column.classList.toggle("may", ready.has(column.dataset.column));
  });
  board.addEventListener("dragover", (event) => {
    const column = event.target.closest?.("[data-column]");
    for (const each of columns) each.classList.toggle("over", each === column && each.classList.contains("may"));
    if (dragged && column?.classList.contains("may")) event.preventDefault();
  });
  board.addEventListener("drop", (event) => {
    const to = event.target.closest?.("[data-column]")?.dataset.column;
    if (!dragged || !to || !open(dragged).has(to)) return;
    event.preventDefault();
    const button = buttons(dragged).find((one) => one.dataset.to === to);
    if (!open(dragged).get(to)) {
      button.form.requestSubmit(button);
      return;
    }
    dragged.querySelector("details.moves").open = true;
    const why = dragged.querySelector("[data-why]");
    why.focus();
    said.textContent = why.labels[0].textContent;
  });
  board.addEventListener("dragend", () => {
    clean();
    dragged = null;
  });
  board.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = event.target.closest("details.moves[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

if (typeof document !== "undefined") {
  const board = document.getElementById("board");
  if (board) start(board, document.querySelector("[data-said]"));
}
