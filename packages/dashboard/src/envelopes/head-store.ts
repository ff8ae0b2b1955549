import type { HeadStore } from "./heads.ts";

const databaseName = "sealpost-heads";
const storeName = "heads";

/** The browser's database; where nothing can be kept (in some private windows, say), the memory of this page. */
export async function openHeadStore(): Promise<HeadStore> {
  try {
    return createDatabaseStore(await openDatabase());
  } catch {
    return createMemoryStore();
  }
}

export function createMemoryStore(): HeadStore {
  const values = new Map<string, unknown>();
  return {
    isLasting: false,
    find: async (name) => values.get(name),
    async change(name, change) {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  };
}

function createDatabaseStore(database: IDBDatabase): HeadStore {
  return {
    isLasting: true,
    find: (name) =>
      new Promise((resolve, reject) => {
        const request: IDBRequest<unknown> = database.transaction(storeName).objectStore(storeName).get(name);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      }),
    change: (name, change) =>
      new Promise((resolve, reject) => {
        const transaction = database.transaction(storeName, "readwrite");
        const store = transaction.objectStore(storeName);
        const request: IDBRequest<unknown> = store.get(name);
        request.onsuccess = () => {
          const after = change(request.result);
          if (after !== undefined) store.put(after, name);
        };
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
      }),
  };
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
