/* Moving lines of a tree by dragging and by Alt + arrow keys. Without this the buttons do it all. */
const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "out", ArrowRight: "in" };

/** Return where a line goes that is dropped at this share of another line's height. */
export function spot(share) {
  if (share < 0.3) return "before";
  return share > 0.7 ? "after" : "inside";
}

/** Return the new parent and the line to stand before, of rows {node, parent} in tree order. */
export function place(rows, target, where) {
  const row = rows.find((one) => one.node === target);
  if (where === "inside") return { parent: target, before: "" };
  if (where === "before") return { parent: row.parent, before: target };
  const siblings = rows.filter((one) => one.parent === row.parent);
  const next = siblings[siblings.findIndex((one) => one.node === target) + 1];
  return { parent: row.parent, before: next ? next.node : "" };
}

/** Say whether a line is the other one or stands somewhere below it. */
export function within(rows, node, other) {
  for (let at = node; at; at = rows.find((one) => one.node === at)?.parent) {
    if (at === other) return true;
  }
  return false;
}

function start(tree) {
  let dragged = null;
  let busy = false;
  const lines = () =>
    [...tree.querySelectorAll("tr[data-node]")].map((tr) => ({
      node: tr.dataset.node,
      parent: tr.dataset.parent,
    }));
  const line = (target) => target.closest?.("tr[data-node]");
  const clean = () =>
    tree
      .querySelectorAll(".before, .after, .inside, .dragged")
      .forEach((one) => one.classList.remove("before", "after", "inside", "dragged"));

  async function send(form, values, focus) {
    if (busy) return; // one move at a time: the next starts from what this one made
    busy = true;
    try {
      await move(form, values, focus);
    } finally {
      busy = false;
    }
  }

  async function move(form, values, focus) {
    const body = new FormData(form);
    for (const [name, value] of Object.entries(values)) body.set(name, value);
    const node = line(form).dataset.node;
    const response = await fetch(form.action, { method: "POST", body }).catch(() => null);
    if (!response?.ok) {
      location.reload(); // the page says what stands now
      return;
    }
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById(tree.id);
    if (!fresh) {
      location.reload();
      return;
    }
    tree.replaceChildren(...fresh.childNodes);
    const told = page.querySelector(".messages");
    show(told);
    ready();
    const again = tree.querySelector(`tr[data-node="${CSS.escape(node)}"]`);
    const button = again?.querySelector(`button[value="${CSS.escape(focus)}"]:not(:disabled)`);
    (button ?? again?.querySelector("button:not(:disabled), a"))?.focus();
    say(again?.querySelector("th a")?.textContent ?? "");
  }

  function show(told) {
    document.querySelector(".messages")?.remove();
    if (told) tree.closest(".inner")?.querySelector(".head")?.after(told);
  }

  function say(text) {
    const status = tree.querySelector("[data-said]");
    if (status) status.textContent = text;
  }

  function ready() {
    tree.querySelectorAll("[data-grip]").forEach((grip) => {
      grip.hidden = false;
      grip.draggable = true;
    });
  }

  tree.addEventListener("submit", (event) => {
    const step = event.submitter?.value;
    if (!step || event.submitter.name !== "step") return;
    event.preventDefault();
    send(event.target, { step }, step);
  });
  tree.addEventListener("keydown", (event) => {
    const step = event.altKey && !event.ctrlKey && !event.metaKey && KEYS[event.key];
    const row = step && line(event.target);
    const button = row && row.querySelector(`button[value="${step}"]`);
    if (!button) return;
    event.preventDefault();
    if (!button.disabled) send(button.form, { step }, step);
  });
  tree.addEventListener("dragstart", (event) => {
    if (!event.target.closest?.("[data-grip]")) return;
    dragged = line(event.target);
    dragged.classList.add("dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.querySelector("th").textContent.trim());
  });
  tree.addEventListener("dragover", (event) => {
    const over = line(event.target);
    if (!dragged || !over || within(lines(), over.dataset.node, dragged.dataset.node)) return;
    event.preventDefault();
    const box = over.getBoundingClientRect();
    const where = spot((event.clientY - box.top) / box.height);
    if (over.classList.contains(where)) return;
    clean();
    dragged.classList.add("dragged");
    over.classList.add(where);
  });
  tree.addEventListener("drop", (event) => {
    const over = line(event.target);
    if (!dragged || !over) return;
    event.preventDefault();
    const where = ["before", "after", "inside"].find((one) => over.classList.contains(one));
    if (!where) return;
    const to = place(lines(), over.dataset.node, where);
    if (to.before === dragged.dataset.node) {
      const rows = lines().filter((one) => one.node !== dragged.dataset.node);
      to.before = place(rows, over.dataset.node, where).before;
    }
    send(dragged.querySelector("form"), to, "");
  });
  tree.addEventListener("dragend", () => {
    clean();
    dragged = null;
  });
  ready();
}

if (typeof document !== "undefined") {
  document.querySelectorAll("[data-tree]").forEach((tree) => start(tree));
}
