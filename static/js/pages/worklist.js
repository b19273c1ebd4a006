// The annotator's list: sends what was entered on this device and has not reached the server yet,
// and says how that goes. What needs a decision is made on the page of its question.

import { localise } from "../lib/dialogs.js";
import { openStore, Outbox } from "../lib/outbox.js";

localise();

const settings = JSON.parse(document.getElementById("unsent-settings").textContent);
const box = document.getElementById("unsent");
const texts = document.getElementById("unsent-texts").content;

const questions = (operations) => [...new Set(operations.map((one) => one.token))];

/** Say something with a number, and where to go for it. */
function say(name, tokens, link = false) {
  const kind = tokens.length === 1 ? `${name}-one` : name;
  const text = (texts.querySelector(`[data-text="${kind}"]`) ?? texts.querySelector(`[data-text="${name}"]`)).textContent;
  const said = box.querySelector("[data-says]");
  said.textContent = text.replace("{n}", tokens.length);
  box.hidden = false;
  box.firstElementChild.className = name === "sent" ? "note ok" : "note warn";
  if (!link) return;
  const anchor = document.createElement("a");
  anchor.href = `${settings.base}${tokens[0]}/`;
  anchor.textContent = texts.querySelector('[data-text="link"]').textContent;
  said.append(" ", anchor);
}

async function sendWhatWaits(store) {
  const { Line, pauseOrOnline } = await import("../lib/line.js");
  const room = { desk: { token: null }, work: {}, lookAhead() {}, show() {} };
  const line = new Line({ settings, store, room });
  for (const note of await store.notes("rev/")) line.revisions.set(note.id.slice(4), note.rev);
  const outbox = new Outbox({ store, send: line.send, tell, wait: pauseOrOnline });
  line.outbox = outbox;
  await outbox.load();

  function tell(state) {
    const open = questions(outbox.queue);
    if (state === "idle") say("sent", []);
    else if (state === "offline" || (state === "retrying" && !navigator.onLine)) say("offline", open);
    else if (state === "saving" || state === "retrying") say("waiting", open);
    else if (state === "sign-in") location.reload();
    else if (state !== "saved") say("open", open, true);
  }
  await outbox.flush();
}

const store = await openStore(settings.device);
const [waiting, kept] = await Promise.all([store.all(), store.notes("kept/")]);
if (waiting.length) await sendWhatWaits(store);
else if (kept.length) say("kept", questions(kept), true);
