// What the grading page says and asks. Its texts stand in the page (translated); here they are filled.

export const byId = (id) => document.getElementById(id);

/** Show a dialog until it is closed; resolves to what closed it. */
export function ask(id) {
  const dialog = byId(id);
  return new Promise((resolve) => {
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
    if (!dialog.open) dialog.showModal();
  });
}

export const close = (id, value = "") => { if (byId(id)?.open) byId(id).close(value); };

export const isOpen = () => Boolean(document.querySelector("dialog[open]"));

/** A translated text of the page, with its places filled; several things as a list in its language. */
export function say(name, values = {}) {
  const text = byId("texts").content.querySelector(`[data-text="${name}"]`)?.textContent ?? name;
  const written = (value) => (Array.isArray(value) ? value.join(say("comma")) : value);
  return Object.entries(values).reduce((filled, [key, value]) => filled.replaceAll(`{${key}}`, written(value)), text);
}

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const told = (written, more) =>
  new Intl.DateTimeFormat(document.documentElement.lang || "en", { ...TIME, ...more }).format(new Date(written));

/** A time in the zone of whoever reads it. */
export const clock = (written) => (written ? told(written) : "");

/** Write the times of a page in the zone of whoever reads it; the server writes them in UTC. */
export function localise(root = document) {
  for (const one of root.querySelectorAll("time[data-local]"))
    one.textContent = told(one.dateTime, one.dataset.local === "time" ? {} : { day: "numeric", month: "long" });
}

const saveBox = () => document.querySelector("[data-save]");

/** Say in the bar how it stands with what was entered. */
export function show(state, values = {}) {
  const short = byId("texts").content.querySelector(`[data-text="state-${state}"]`)?.dataset.short;
  restore({ state, text: say(`state-${state}`, values), short });
}

/** What the bar says: {state, text}. */
export const shown = () => {
  const [text, short] = [".full", ".short"].map((name) => saveBox()?.querySelector(name).textContent);
  return { state: saveBox()?.dataset.state, text, short };
};

export function restore({ state, text, short }) {
  const box = saveBox();
  if (!box) return;
  if (state) box.dataset.state = state;
  else delete box.dataset.state;
  box.querySelector(".full").textContent = text;
  box.querySelector(".short").textContent = short || text;
}

/** Say something to a screen reader that everybody else sees. */
export function announce(text) {
  const box = byId("announcer");
  box.textContent = "";
  setTimeout(() => { box.textContent = text; }, 50);
}

/** Say how many questions' work was not taken and is kept on this device. */
export function showKeptCount(n) {
  const note = byId("kept-note");
  if (!note) return;
  note.hidden = n === 0;
  note.querySelector("span").textContent = say("kept", { n });
}

/**
 * Let a person decide each place that two sides have changed. Nothing is chosen beforehand.
 * `describe(place, value)` → {title, text} says it in the words of the page.
 * Resolves to a patch of the decisions, or null if the dialog was put off.
 */
export async function decide(conflicts, describe) {
  const list = byId("merge-list");
  list.replaceChildren(...conflicts.map((conflict, place) => row(conflict, place, describe)));
  if (await ask("merge-dialog") !== "decided") return null;
  return Object.fromEntries(conflicts.map((conflict, place) => {
    const chosen = list.querySelector(`input[name="merge-${place}"]:checked`)?.value;
    return [conflict.place, chosen === "mine" ? conflict.mine : conflict.theirs];
  }));
}

function row(conflict, place, describe) {
  const group = document.createElement("fieldset");
  group.className = "sides";
  const legend = document.createElement("legend");
  legend.textContent = describe(conflict.place, conflict.mine).title;
  const sides = ["mine", "theirs"].map((side) => choice(place, side, describe(conflict.place, conflict[side]).text));
  group.append(legend, ...sides);
  return group;
}

function choice(place, side, text) {
  const label = document.createElement("label");
  const radio = Object.assign(document.createElement("input"), {
    type: "radio", name: `merge-${place}`, value: side, required: true,
  });
  const [name, said] = ["b", "span"].map((each) => document.createElement(each));
  name.textContent = say(`merge-${side}`);
  said.textContent = text;
  said.dir = "auto";
  label.append(radio, name, said);
  return label;
}

/** Show work that was not taken, and why; resolves to whether the person has copied or discarded it. */
export async function showWork(why, text) {
  const field = byId("refused-work");
  const said = byId("refused-said");
  byId("refused-why").textContent = why;
  field.value = text;
  said.textContent = "";
  let copied = false;
  byId("refused-copy").onclick = async () => {
    copied = await copy(field);
    said.textContent = say(copied ? "copied" : "copy-failed");
  };
  return await ask("refused-dialog") === "discard" || copied;
}

export async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch { // no leave, or no secure context: the older way
    field.select();
    return document.execCommand("copy");
  }
}

/**
 * Sign in again without leaving the page. Resolves to {csrf, device} once signed in.
 * `signIn(username, password)` → {ok, csrf, device}.
 */
export function signInAgain(signIn) {
  const form = byId("login-form");
  const problem = byId("login-problem");
  return new Promise((resolve) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      problem.textContent = "";
      try {
        const answer = await signIn(form.username.value, form.password.value);
        if (!answer.ok) { problem.textContent = answer.why || say("login-wrong"); return; }
        form.password.value = "";
        close("login-dialog", "signed-in");
        resolve(answer);
      } catch {
        problem.textContent = say("login-offline");
      }
    };
    byId("login-dialog").addEventListener("cancel", (event) => event.preventDefault());
    ask("login-dialog");
  });
}
