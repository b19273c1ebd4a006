// Files for import: dropped or chosen, one at once, several one after another and listed; pasted rows as a file.

const form = document.getElementById("taking");
const drop = form.querySelector("[data-drop]");
const chosen = form.elements.file;
const list = document.getElementById("taken");

document.body.classList.add("with-script");

function line(name) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const what = document.createElement("span");
  const state = document.createElement("small");
  what.textContent = name;
  state.textContent = list.dataset.wait;
  link.append(what, state);
  item.append(link);
  list.append(item);
  return { link, what, state };
}

/** Hand one file in, and say in its line what it is and what is open. */
async function take(file) {
  const { link, what, state } = line(file.name);
  const body = new FormData(form);
  body.set("file", file, file.name);
  body.set("pasted", "");
  try {
    const answer = await fetch(form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const said = page.getElementById("match-title");
    if (answer.redirected && said) {
      link.href = answer.url;
      what.textContent = `${file.name}: ${said.textContent.trim()}`;
      state.textContent = page.getElementById("why-not").textContent.trim();
    } else {
      state.textContent = page.querySelector(".note.bad")?.textContent.trim() || list.dataset.failed;
    }
  } catch {
    state.textContent = list.dataset.failed;
  }
}

let busy = false;

async function takeAll(files) {
  busy = chosen.disabled = true;
  list.replaceChildren();
  for (const file of files) await take(file);
  chosen.value = "";
  busy = chosen.disabled = false;
}

/** Choosing begins by itself; whoever presses the button as well hands nothing in a second time. */
function begin() {
  if (busy) return;
  if (chosen.files.length === 1) form.submit();
  else if (chosen.files.length) takeAll([...chosen.files]);
}

chosen.addEventListener("change", begin);
form.addEventListener("submit", (event) => {
  if (chosen.files.length < 2 && !busy) return;
  event.preventDefault();
  begin();
});

for (const name of ["dragenter", "dragover"])
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
for (const name of ["dragleave", "drop"])
  drop.addEventListener(name, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  if (!event.dataTransfer.files.length) return;
  chosen.files = event.dataTransfer.files;
  begin();
});

// What is copied in a spreadsheet may be pasted anywhere on the page.
document.addEventListener("paste", (event) => {
  if (event.target.closest("textarea, input, select")) return;
  const data = new DataTransfer();
  for (const file of event.clipboardData.files) data.items.add(file);
  const text = event.clipboardData.getData("text/plain");
  if (!data.files.length && text.includes("\n")) {
    const start = text.trimStart()[0];
    const ending = { "{": "jsonl", "[": "json" }[start] || "csv";
    data.items.add(new File([text], `pasted.${ending}`));
  }
  if (!data.files.length) return;
  event.preventDefault();
  chosen.files = data.files;
  begin();
});
