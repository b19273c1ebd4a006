// What the page and the server say to each other: drafts, submits, and what each answer means.
// The queue (outbox.js) decides what is sent when; here it is written down, sent and understood.

import * as dialogs from "./dialogs.js";
import * as entries from "./entries.js";

const { say } = dialogs;

// Signing in anywhere in this browser changes the token; the cookie has the one that holds now.
const cookie = (name) => document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);

const operationId = () => entries.operationId(Date.now(), crypto.getRandomValues(new Uint8Array(10)));

/** Wait before the next try, or until the browser is online again. */
export function pauseOrOnline(milliseconds) {
  return new Promise((resolve) => {
    const go = () => { clearTimeout(waiting); removeEventListener("online", go); resolve(); };
    const waiting = setTimeout(go, milliseconds);
    addEventListener("online", go);
  });
}

export class Line {
  revisions = new Map(); // token → revision of the stored draft

  handedIn = new Set(); // tokens whose submit is on its way: nothing is changed meanwhile

  keeping = 0; // patches on their way from the page into the queue

  savedAt = null;

  /**
   * @param settings of the page: base, csrf, device, signIn
   * @param store on the device
   * @param room the page: desk, work, show(state, values), write(), lock(), moveOn(operation, said), lookAhead()
   */
  constructor({ settings, store, room }) {
    Object.assign(this, { settings, store, room, csrf: settings.csrf, outbox: null });
  }

  /** Send JSON to an address below the grading pages; throws when there is no answer. */
  async post(path, body, base = this.settings.base) {
    const text = JSON.stringify({ csrf: cookie("csrftoken") ?? this.csrf, device: this.settings.device, ...body });
    const answer = await fetch(`${base}${path}`, {
      method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: text, keepalive: text.length < 60_000,
    });
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    return { status: answer.status, body: isJson ? await answer.json() : null };
  }

  async operation(kind, token, table) {
    const digest = await entries.sha256(entries.canonical(table));
    return { id: operationId(), kind, token, base: this.settings.base, digest };
  }

  /** Hand the waiting changes of a desk to the queue. */
  async draft(work) {
    if (!work.waits) return;
    const waiting = work.collect();
    this.keeping += 1;
    try {
      await this.outbox.add({ ...await this.operation("draft", work.token, work.now), ...waiting });
    } finally { this.keeping -= 1; }
    work.undecided?.();
  }

  /** Hand in a desk: what of its drafts was not sent is part of it. */
  async submit(work, more) {
    this.handedIn.add(work.token);
    work.drop();
    const table = counted(work.now);
    await this.outbox.add({ ...await this.operation("submit", work.token, table), entries: table, ...more });
  }

  send = async (operation) => {
    const isDraft = operation.kind === "draft";
    const body = isDraft
      ? { op_id: operation.id, base_rev: this.revisions.get(operation.token) ?? 0, patch: operation.patch }
      : { op_id: operation.id, base_rev: operation.rev, entries: operation.entries,
        active_ms: operation.active, view: operation.view, next: !operation.stay };
    const answer = await this.post(`${operation.token}/${isDraft ? "draft" : "submit"}/`, body, operation.base);
    if (answer.status === 200 && answer.body?.digest === operation.digest) this.settled(operation, answer.body);
    return answer;
  };

  settled(operation, said) {
    const { room } = this;
    const here = operation.token === room.desk.token;
    this.savedAt = said.saved_at;
    this.forget(operation.token, "kept");
    if (operation.kind === "draft") {
      this.revisions.set(operation.token, said.rev);
      if (here) room.work.acknowledge(operation.patch);
      this.store.note({ id: `rev/${operation.token}`, rev: said.rev });
      return;
    }
    this.revisions.delete(operation.token);
    this.handedIn.delete(operation.token);
    this.forget(operation.token, "rev");
    if (said.late) document.getElementById("late-note").hidden = false;
    if (here) setTimeout(() => room.moveOn(operation, said));
    else if (operation.stay) setTimeout(room.lookAhead);
  }

  tell = (state, { operation, body, left, attempt, full }) => {
    const { show, work } = this.room;
    const handlers = {
      saving: () => show("saving"),
      idle: () => show(this.keeping || work.waits ? "saving" : this.savedAt ? "saved" : "ready"),
      offline: () => show("offline", { n: left }),
      retrying: () => { if (navigator.onLine) show(full ? "full" : "retrying", { n: full ? left : attempt + 1 }); },
      "sign-in": () => this.signIn(),
      merge: () => (body?.code === "locked" ? this.locked(operation, body) : this.merge(operation, body)),
      lost: () => this.lost(operation, body),
      refused: () => this.refused(operation, body),
    };
    handlers[state]?.();
  };

  async signIn() {
    this.room.show("signed-out");
    const answer = await dialogs.signInAgain(async (username, password) => {
      const said = await this.post("", { username, password }, this.settings.signIn);
      if (said.status === 200) return { ok: true, ...said.body };
      return { ok: false, why: said.status === 429 ? said.body?.message : "" };
    });
    if (answer.device !== this.settings.device) { location.assign(this.settings.base); return; }
    this.csrf = answer.csrf;
    this.stamp();
    this.outbox.resume();
  }

  /** Put the token that holds now into every form of the page. */
  stamp() {
    for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = this.csrf;
  }

  /** Somebody (another tab, another device) has saved since: join what can be joined, ask for the rest. */
  async merge(operation, body) {
    const { room } = this;
    if (operation.kind === "submit" || !body?.entries) { await this.putAside(operation, "stale"); return; }
    if (operation.token !== room.desk.token || this.handedIn.has(operation.token)) {
      await this.rebase(operation, body);
      return;
    }
    const { work } = room;
    room.show("merging");
    work.undecided = null;
    const { merged, conflicts } = entries.merge(work.base, work.now, body.entries);
    const chosen = conflicts.length ? await dialogs.decide(conflicts, (place, value) => room.desk.describe(place, value)) : {};
    if (chosen === null) {
      room.show("conflict");
      work.undecided = () => this.merge(operation, body);
      return;
    }
    work.join(body.entries, entries.patched(merged, chosen));
    room.write();
    this.revisions.set(operation.token, body.rev);
    const patch = entries.difference(work.base, work.now);
    const again = { ...await this.operation("draft", operation.token, work.now), patch, before: entries.inverse(work.base, patch) };
    const waiting = this.outbox.queue.filter((one) => one.token === operation.token && one.kind === "draft");
    const differs = Object.keys(patch).length > 0;
    if (!differs) this.savedAt = new Date().toISOString(); // the server has just said that it holds all of it
    await this.outbox.replace(waiting, differs ? again : null);
    this.outbox.resume();
  }

  /** A change of a question that is not on the page: it is made on top of what is stored, as far as nobody else changed it. */
  async rebase(operation, body) {
    const free = ([place, value]) => [value, operation.before?.[place] ?? null].includes(body.entries[place] ?? null);
    const [patch, kept] = [true, false].map((wanted) =>
      Object.fromEntries(Object.entries(operation.patch).filter((one) => free(one) === wanted)));
    this.revisions.set(operation.token, body.rev);
    const submitFollows = this.outbox.queue.some((one) => one.kind === "submit" && one.token === operation.token);
    if (Object.keys(kept).length && !submitFollows) await this.keep(operation.token, kept, "stale");
    if (submitFollows || !Object.keys(patch).length) await this.outbox.settle(operation.id);
    else {
      const after = entries.patched(body.entries, patch);
      await this.outbox.replace([operation], { ...operation, ...await this.operation("draft", operation.token, after), patch, sent: false });
    }
    this.outbox.resume();
  }

  /** The seat is not held any more: a draft has no home, but the grades can be submitted and may count. */
  async lost(operation, body) {
    if (operation.kind === "submit") { await this.putAside(operation, body?.message ?? "lost"); return; }
    await this.unsettled(operation, body?.code === "withdrawn" ? "withdrawn" : "lost", {});
  }

  async refused(operation, body) {
    if (operation.kind === "submit") { await this.putAside(operation, body?.message ?? "refused"); return; }
    if (operation.token === this.room.desk.token) this.room.work.refused = true;
    await this.unsettled(operation, "refused", { why: body?.message ?? "" });
  }

  /** The round was closed meanwhile: the page is read-only, and what was entered is kept to copy. */
  async locked(operation, body) {
    const here = operation.token === this.room.desk.token;
    // The draft so far may be gone with its round: all that stands on the page is kept, not the last change alone.
    await this.putAside(operation, body.message, here && !operation.entries ? this.room.work.now : undefined);
    if (here) this.room.lock();
  }

  /** A draft that was not taken: what stands on the page stays on the device. */
  async unsettled(operation, state, values) {
    const here = operation.token === this.room.desk.token;
    await this.keep(operation.token, here ? this.room.work.now : operation.patch, values.why ?? state, { quiet: true });
    // What waits behind it says less than everything, and is said again with the next change.
    const behind = this.outbox.queue.filter((one) => one.token === operation.token && one.kind === "draft");
    await this.outbox.replace(behind, null);
    await this.outbox.resume();
    if (here && !this.room.work.waits) this.room.show(state, values);
  }

  /** A submit that will not be taken: say why, keep the work at hand, never send it again by itself. */
  async putAside(operation, why, table = operation.entries ?? operation.patch ?? {}) {
    this.handedIn.delete(operation.token);
    document.querySelector(".grade").removeAttribute("aria-busy");
    await this.keep(operation.token, table, why);
    await this.outbox.settle(operation.id);
    this.outbox.resume();
  }

  /** Keep on the device what was not taken, until the person has copied or discarded it. */
  async keep(token, table, why, { quiet = false } = {}) {
    const text = Object.entries(table)
      .map(([place, value]) => Object.values(this.room.desk.describe(place, value)).join(": ")).sort().join("\n");
    const note = { id: `kept/${token}`, token, why: say(why), entries: table, text };
    this.kept.set(token, note);
    await this.store.note(note);
    this.countKept();
    if (quiet) return;
    this.room.show("refused", { why: note.why });
    await this.showKept(note);
  }

  /** What was kept, by token; filled when the page starts. */
  kept = new Map();

  async load() {
    for (const note of await this.store.notes("kept/")) this.kept.set(note.token, note);
  }

  forget(token, what) {
    if (what === "kept" && !this.kept.delete(token)) return;
    this.store.forget(`${what}/${token}`);
    if (what === "kept") this.countKept();
  }

  countKept() { dialogs.showKeptCount(this.kept.size); }

  async showKept(note) {
    const done = await dialogs.showWork(note.why, note.text);
    if (done) this.forget(note.token, "kept");
  }
}

/** Without the marks of responses that cannot be graded: the reason stands instead. */
const counted = (table) => Object.fromEntries(Object.entries(table)
  .filter(([place]) => !(/^(mark|text)\//.test(place) && table[`cannot/${place.split("/")[1]}`])));
