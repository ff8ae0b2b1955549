import type { OpeningKey } from "@sealpost/sdk";

/**
 * Keys that the owner asked this browser to keep: CryptoKeys that can open and can never be read out, in IndexedDB. There
 * is no other place in the app where a key outlives the page.
 */
interface RememberedKey extends OpeningKey {
  readonly formId: string;
}

const databaseName = "sealpost";
const storeName = "keys";

export async function rememberKey(formId: string, key: OpeningKey): Promise<void> {
  const record: RememberedKey = { ...key, formId };
  await withStore("readwrite", (store) => store.put(record));
}

export async function findRememberedKeys(formId: string): Promise<readonly OpeningKey[]> {
  const all: readonly RememberedKey[] = await withStore("readonly", (store) => store.getAll());
  return all.filter((key) => key.formId === formId);
}

export function countRememberedKeys(): Promise<number> {
  return withStore("readonly", (store) => store.count());
}

export async function forgetRememberedKeys(formId?: string): Promise<void> {
  if (formId === undefined) await withStore("readwrite", (store) => store.clear());
  else
    for (const { fingerprint } of await findRememberedKeys(formId))
      await withStore("readwrite", (store) => store.delete([formId, fingerprint]));
}

async function withStore<Result>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const database = await openDatabase();
  try {
    return await settle(act(database.transaction(storeName, mode).objectStore(storeName)));
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: ["formId", "fingerprint"] });
  return settle(request);
}

function settle<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
