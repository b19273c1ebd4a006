// The dialogs of the grading page. Their texts stand in the page (translated); here they are filled.

import { words } from "./entries.js";

const byId = (id) => document.getElementById(id);

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

/** A translated text of the page, with its places filled. */
export function say(name, values = {}) {
  const text = byId("texts").content.querySelector(`[data-text="${name}"]`)?.textContent ?? name;
  return Object.entries(values).reduce((filled, [key, value]) => filled.replaceAll(`{${key}}`, value), text);
}

/** Show how a response differs from the standard answer, word by word. */
export function showDifference(letter, response) {
  const reference = document.querySelector("[data-reference]")?.textContent.trim() ?? "";
  const box = byId("diff-text");
  box.replaceChildren(...words(reference, response.textContent.trim()).map(({ kind, text }) => {
    if (kind === "same") return document.createTextNode(text);
    const part = document.createElement(kind === "new" ? "ins" : "del");
    part.textContent = text;
    return part;
  }));
  byId("diff-letter").textContent = letter;
  return ask("diff-dialog");
}

/**
 * Let a person decide each place that two sides have changed. Nothing is chosen beforehand.
 * Resolves to a patch of the decisions, or null if the dialog was put off.
 */
export async function decide(conflicts) {
  const list = byId("merge-list");
  list.replaceChildren(...conflicts.map((conflict, place) => row(conflict, place)));
  if (await ask("merge-dialog") !== "decided") return null;
  return Object.fromEntries(conflicts.map((conflict, place) => {
    const chosen = list.querySelector(`input[name="merge-${place}"]:checked`)?.value;
    return [conflict.place, chosen === "mine" ? conflict.mine : conflict.theirs];
  }));
}

function row(conflict, place) {
  const [kind, letter, criterion] = conflict.place.split("/");
  const group = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = [letter, criterion ?? say(`place-${kind}`)].filter(Boolean).join(": ");
  group.append(legend, choice(place, "mine", conflict.mine), choice(place, "theirs", conflict.theirs));
  return group;
}

function choice(place, side, value) {
  const label = document.createElement("label");
  const radio = Object.assign(document.createElement("input"), {
    type: "radio", name: `merge-${place}`, value: side, required: true,
  });
  const words = document.createElement("span");
  words.textContent = `${say(`merge-${side}`)}: ${value ?? say("nothing")}`;
  label.append(radio, words);
  return label;
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
        if (!answer.ok) { problem.textContent = say("login-wrong"); return; }
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
