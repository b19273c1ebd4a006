// The device's write-ahead store: IndexedDB, one database for each person, keyed by operation.
// Its name comes from the server and tells nothing, so that the next person on a shared device
// neither sees nor sends what somebody else has entered.

const OPERATIONS = "operations";

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

function open(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(OPERATIONS, { keyPath: "id" });
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
  all() { return done(this.objects("readonly").getAll()); }

  put(operation) { return this.write((objects) => objects.put(operation)); }

  remove(id) { return this.write((objects) => objects.delete(id)); }

  objects(mode) { return this.database.transaction(OPERATIONS, mode).objectStore(OPERATIONS); }

  // Acknowledged by the transaction, not by the request: only then is it on the disk.
  write(change) {
    const transaction = this.database.transaction(OPERATIONS, "readwrite", { durability: "strict" });
    change(transaction.objectStore(OPERATIONS));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  }
}

export class MemoryStore {
  durable = false;

  kept = new Map();

  async all() { return [...this.kept.values()].sort((a, b) => (a.id < b.id ? -1 : 1)); }

  async put(operation) { this.kept.set(operation.id, structuredClone(operation)); }

  async remove(id) { this.kept.delete(id); }
}
