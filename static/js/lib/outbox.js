// The queue of what a device has entered and the server has not acknowledged yet.
// The rules are pure (a queue in, a queue out); `Outbox` binds them to a store and a way to send.
// The store is IndexedDB, one database for each person, keyed by operation. Its name comes from the
// server and tells nothing, so that the next person on a shared device neither sees nor sends what
// somebody else has entered.

/** Add an operation; a draft that still waits for the same seat takes the new patch in. */
export function enqueued(queue, operation) {
  const last = queue.at(-1);
  const joins = operation.kind === "draft" && last?.kind === "draft" && !last.sent
    && last.token === operation.token;
  if (!joins) return [...queue, operation];
  const patch = { ...last.patch, ...operation.patch };
  const before = operation.before && { before: { ...operation.before, ...last.before } };
  return [...queue.slice(0, -1), { ...last, patch, ...before, digest: operation.digest }];
}

/** The drafts that a submit makes needless: those of its seat that nobody has tried to send. */
export const overtaken = (queue, operation) => (operation.kind !== "submit" ? [] : queue
  .filter((one) => one.kind === "draft" && one.token === operation.token && !one.sent));

/** Mark the first operation as sent: from now on it is repeated as it is, never changed. */
export const marked = (queue) => queue.map((one, place) => (place ? one : { ...one, sent: true }));

/** Take the acknowledged operation out. */
export const acknowledged = (queue, id) => queue.filter((one) => one.id !== id);

/** What stands on a seat's page by what waits: the entries after every waiting draft. */
export function pending(queue, token, entries, patched) {
  return queue
    .filter((one) => one.token === token && one.kind === "draft")
    .reduce((after, one) => patched(after, one.patch), entries);
}

/** What the server answers when its disk is full. */
const FULL = 507;

/** How long to wait before the next try: 1, 2, 4 … 30 s. */
export const pause = (attempt) => Math.min(30_000, 1000 * 2 ** Math.min(attempt, 10));

/**
 * What an answer means for the operation that was sent:
 * "saved", "again" (try later, as it is), "merge", "lost", "sign-in" or "refused".
 */
export function verdict(status, body, operation) {
  if (status === 200 && body?.digest === operation.digest) return "saved";
  if (status === 401) return "sign-in";
  if (status === 409) return "merge";
  if (status === 403 || status === 404 || status === 410) return "lost";
  if (status === 400 || status === 413 || status === 422) return "refused";
  return "again";
}

/** Sends one operation after the other, in order, and keeps what is not acknowledged. */
export class Outbox {
  /**
   * @param store {all(), put(operation), remove(id)}: on the device, bound to the person
   * @param send (operation) → {status, body}; throws when there is no answer
   * @param tell (state, detail) → void; states: saving, saved, retrying, offline, and the verdicts
   * @param wait (milliseconds) → promise
   */
  constructor({ store, send, tell, wait }) {
    Object.assign(this, { store, send, tell, wait, queue: [], running: null, held: false, full: false });
  }

  async load() {
    this.queue = await this.store.all();
    return this.queue;
  }

  /** Write down first, then send. */
  async add(operation) {
    const before = this.queue.at(-1);
    const needless = overtaken(this.queue, operation);
    this.queue = enqueued(this.queue.filter((one) => !needless.includes(one)), operation);
    const last = this.queue.at(-1);
    await this.store.put(last);
    for (const one of needless) await this.store.remove(one.id);
    if (last.id !== before?.id || !this.running) this.flush();
  }

  /** Send what waits, until nothing does or an answer needs a person. */
  flush() {
    this.running ??= this.run().finally(() => { this.running = null; });
    return this.running;
  }

  /** Go on after a person has decided (signed in, merged). */
  resume() {
    this.held = false;
    return this.flush();
  }

  async run() {
    for (let attempt = 0; this.queue.length && !this.held;) {
      const [first] = this.queue = marked(this.queue);
      await this.store.put(first);
      this.tell("saving", { left: this.queue.length });
      const outcome = await this.attempt(first);
      if (outcome === "saved") attempt = 0;
      else if (outcome === "again") {
        this.tell("retrying", { attempt, left: this.queue.length, full: this.full });
        await this.wait(pause(attempt));
        attempt += 1;
      } else this.held = true;
    }
    if (!this.queue.length) this.tell("idle", {});
  }

  async attempt(operation) {
    let answer;
    try {
      answer = await this.send(operation);
    } catch {
      this.full = false;
      this.tell("offline", { left: this.queue.length });
      return "again";
    }
    this.full = answer.status === FULL;
    const outcome = verdict(answer.status, answer.body, operation);
    if (outcome === "saved") await this.settle(operation.id);
    if (outcome !== "again") this.tell(outcome, { operation, body: answer.body, left: this.queue.length });
    return outcome;
  }

  /** Forget an operation: it was acknowledged, or a person decided so. */
  async settle(id) {
    this.queue = acknowledged(this.queue, id);
    await this.store.remove(id);
  }

  /** Put another operation in the place of some, after a merge: first written down, then taken out. */
  async replace(gone, operation) {
    const ids = gone.map((one) => one.id);
    const place = this.queue.findIndex((one) => ids.includes(one.id));
    const rest = this.queue.filter((one) => !ids.includes(one.id));
    this.queue = operation ? rest.toSpliced(Math.max(place, 0), 0, operation) : rest;
    if (operation) await this.store.put(operation);
    for (const id of ids) await this.store.remove(id);
  }
}

const OPERATIONS = "operations";
const NOTES = "notes"; // what is remembered of a seat: the revision that came from here, work that was not taken

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

function open(name) {
  const request = indexedDB.open(name, 2);
  request.onupgradeneeded = () => {
    const database = request.result;
    for (const each of [OPERATIONS, NOTES])
      if (!database.objectStoreNames.contains(each)) database.createObjectStore(each, { keyPath: "id" });
  };
  return done(request);
}

/** Open the store of a person; without IndexedDB (private windows) one that lives as long as the page. */
export async function openStore(person) {
  try {
    return new DeviceStore(await open(`evalsite-${person}`));
  } catch {
    return new MemoryStore();
  }
}

class DeviceStore {
  durable = true;

  constructor(database) { this.database = database; }

  /** Everything that waits, oldest first: identifiers are sorted by time. */
  all() { return done(this.read(OPERATIONS).getAll()); }

  put(operation) { return this.write(OPERATIONS, (objects) => objects.put(operation)); }

  remove(id) { return this.write(OPERATIONS, (objects) => objects.delete(id)); }

  /** The notes whose id begins so. */
  notes(start) { return done(this.read(NOTES).getAll(IDBKeyRange.bound(start, `${start}\uffff`))); }

  note(note) { return this.write(NOTES, (objects) => objects.put(note)); }

  forget(id) { return this.write(NOTES, (objects) => objects.delete(id)); }

  read(name) { return this.database.transaction(name, "readonly").objectStore(name); }

  // Acknowledged by the transaction, not by the request: only then is it on the disk.
  write(name, change) {
    const transaction = this.database.transaction(name, "readwrite", { durability: "strict" });
    change(transaction.objectStore(name));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  }
}

export class MemoryStore {
  durable = false;

  kept = new Map();

  noted = new Map();

  async all() { return [...this.kept.values()].sort((a, b) => (a.id < b.id ? -1 : 1)); }

  async put(operation) { this.kept.set(operation.id, structuredClone(operation)); }

  async remove(id) { this.kept.delete(id); }

  async notes(start) { return [...this.noted.values()].filter((one) => one.id.startsWith(start)); }

  async note(note) { this.noted.set(note.id, structuredClone(note)); }

  async forget(id) { this.noted.delete(id); }
}
