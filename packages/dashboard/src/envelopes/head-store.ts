import type { HeadStore, ListStore } from "@sealpost/envelope";

const databaseName = "sealpost-heads";
const storeName = "heads";
/** Whole lists, which go with a sign-out: the next sight fetches them. */
const listStoreName = "lists";
const storeNames = [storeName, listStoreName] as const;
type StoreName = (typeof storeNames)[number];

/** A store that says what it keeps. */
export interface ListedStore extends HeadStore {
  /** The names that have a value. */
  names(): Promise<readonly string[]>;
}

/** The browser's database; where nothing can be kept (in some private windows, say), the memory of this page. */
export async function openHeadStore(): Promise<ListedStore> {
  try {
    (await openDatabase()).close();
    return databaseStore;
  } catch {
    return createMemoryStore();
  }
}

export function createMemoryStore(): ListedStore {
  const values = new Map<string, unknown>();
  return {
    isLasting: false,
    names: async () => [...values.keys()],
    find: async (name) => values.get(name),
    async change(name, change) {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  };
}

const listStore: ListStore = {
  find: (id) => transact("readonly", (store) => store.get(id), listStoreName),
  keep: async (id, text) => {
    if (text === undefined) await transact("readwrite", (store) => store.delete(id), listStoreName);
    else await transact("readwrite", (store) => store.put(text, id), listStoreName);
  },
};

/** Opens the database each time: a sign-out may have the browser delete it, which ends whatever was open. */
const databaseStore: ListedStore = {
  isLasting: true,
  names: async () => (await transact("readonly", (store) => store.getAllKeys())).map(String),
  find: (name) => transact("readonly", (store) => store.get(name)),
  change: async (name, change) => {
    await transact("readwrite", (store) => {
      const request: IDBRequest<unknown> = store.get(name);
      request.onsuccess = () => {
        const after = change(request.result);
        if (after !== undefined) store.put(after, name);
      };
      return request;
    });
  },
  lists: listStore,
};

/** Deletes the whole lists, and no head. */
export async function forgetLists(): Promise<void> {
  await transact("readwrite", (store) => store.clear(), listStoreName);
}

/** Reads all heads, and gives what puts them back where the browser has deleted them. What another tab has written since stays. */
export async function takeHeads(): Promise<() => Promise<void>> {
  const heads = await readAllHeads();
  return async () => {
    for (const [name, head] of heads)
      await databaseStore.change(name, (value) => (value === undefined ? head : undefined));
  };
}

/** All that is kept here, for whichever key, by name. */
async function readAllHeads(): Promise<ReadonlyMap<string, unknown>> {
  const heads = new Map<string, unknown>();
  await transact("readonly", (store) => {
    const request = store.openCursor();
    request.onsuccess = () => {
      if (request.result === null) return;
      heads.set(String(request.result.key), request.result.value);
      request.result.continue();
    };
    return request;
  });
  return heads;
}

/** The result of the request that `act` makes, once the browser has committed the transaction. */
async function transact<Result>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Result>,
  name: StoreName = storeName,
): Promise<Result> {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(name, mode);
    const request = act(transaction.objectStore(name));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    return request.result;
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 2);
    request.onupgradeneeded = () => {
      for (const name of storeNames)
        if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
