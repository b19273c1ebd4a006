// The editor of a question: what is written is saved while one writes, and never without saying so.

const PAUSE = 1200;
const AGAIN = 5000;
const form = document.getElementById("writing");
const said = document.getElementById("saved");
let sent = text();
let timer = 0;
let busy = false;
let stopped = false;

function text() {
  const data = new FormData(form);
  data.delete("csrfmiddlewaretoken");
  data.delete("rev");
  for (const name of [...data.keys()]) if (name.startsWith("new-") || name.startsWith("chosen")) data.delete(name);
  return JSON.stringify([...data]);
}

function say(what) {
  const at = what === "saved" ? ` ${new Date().toLocaleTimeString()}` : "";
  said.textContent = said.dataset[what] + at;
  said.classList.toggle("bad", what === "failed" || what === "conflict");
}

function later(pause) {
  clearTimeout(timer);
  timer = setTimeout(save, pause);
}

async function save() {
  if (busy || stopped) return;
  const now = text();
  if (now === sent) return;
  busy = true;
  say("saving");
  try {
    const body = new FormData(form);
    body.delete("new-title");
    const address = form.dataset.save || form.dataset.new;
    const answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
    const told = await answer.json();
    if (answer.ok) {
      sent = now;
      form.elements.namedItem("rev").value = told.rev;
      if (!form.dataset.save) begun(told);
      say("saved");
    } else if (answer.status === 409) {
      stopped = true;
      say("conflict");
    } else {
      said.textContent = told.message;
      said.classList.add("bad");
      if (answer.status >= 500) later(AGAIN);
    }
  } catch {
    say("failed");
    later(AGAIN);
  }
  busy = false;
  if (!stopped && text() !== sent && !said.classList.contains("bad")) later(PAUSE);
}

/** The first saving has made a draft: from now on this page is its editor. */
function begun(told) {
  form.dataset.save = told.save_url;
  form.action = told.edit_url;
  form.elements.namedItem("question").value = told.question;
  history.replaceState(null, "", told.edit_url);
}

form.addEventListener("input", () => later(PAUSE));
form.addEventListener("submit", (event) => {
  // A saving under way would make this page's revision old: wait for it, then send.
  clearTimeout(timer);
  if (!busy) {
    stopped = true;
    return;
  }
  event.preventDefault();
  const button = event.submitter;
  const wait = setInterval(() => {
    if (busy) return;
    clearInterval(wait);
    stopped = true;
    form.requestSubmit(button);
  }, 50);
});
window.addEventListener("beforeunload", (event) => {
  if (!stopped && text() !== sent) event.preventDefault();
});
