import type { OpeningKey } from "@sealpost/sdk";

/**
 * Keys that a person asked this browser to keep, for that person alone: CryptoKeys that can open and can never be read out, in IndexedDB. There
 * is no other place in the app where a key outlives the page.
 */
interface RememberedKey extends OpeningKey {
  readonly formId: string;
  readonly person: string;
}

const databaseName = "sealpost";
const storeName = "keys";

/**
 * Begins the name of a mark in local storage: the keys of this form, or of all, are being forgotten. It is written before
 * anything is waited for, and goes when the keys are gone; nobody reads keys past a mark. So a page that says "locked" is
 * right even if it is reloaded or closed before the browser came to deleting.
 */
const markPrefix = "sealpost-forgetting:";

export async function rememberKey(person: string, formId: string, key: OpeningKey): Promise<void> {
  const record: RememberedKey = { ...key, formId, person };
  await finishForgetting();
  await transact("readwrite", (store) => {
    const request: IDBRequest<RememberedKey | undefined> = store.get([formId, person, key.fingerprint]);
    request.onsuccess = () => {
      // The same key off an older file or sheet lacks the hybrid key, and takes none away.
      const hybrid = key.hybrid ?? request.result?.hybrid;
      store.put({ ...record, ...(hybrid && { hybrid }) });
    };
  });
}

export async function findRememberedKeys(person: string, formId: string): Promise<readonly OpeningKey[]> {
  return (await findAllOf(person)).filter((key) => key.formId === formId);
}

export async function countRememberedKeys(person: string): Promise<number> {
  return (await findAllOf(person)).length;
}

async function findAllOf(person: string): Promise<readonly RememberedKey[]> {
  await finishForgetting();
  const { result } = await transact("readonly", (store): IDBRequest<RememberedKey[]> => store.getAll());
  return result.filter((key) => key.person === person);
}

/** Deletes what anybody but this person has asked this browser to keep. */
export async function forgetKeysOfOthers(person: string): Promise<void> {
  await finishForgetting();
  await transact("readwrite", (store) => {
    const request = store.openCursor();
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor === null) return;
      const { person: owner }: RememberedKey = cursor.value; // only this module writes here
      if (owner !== person) cursor.delete();
      cursor.continue();
    };
  });
}

/** Forgets the form's keys, or all keys. Resolves when they are deleted; fails where nothing can be kept. */
export async function forgetRememberedKeys(formId = ""): Promise<void> {
  try {
    localStorage.setItem(markPrefix + formId, crypto.randomUUID());
  } catch {
    // A full storage: then there is only the deletion, which comes a moment later.
  }
  await finishForgetting([formId]);
}

/** Deletes in one transaction the keys of these forms and those that are marked, also by a page that did not come to it. */
async function finishForgetting(unmarked: readonly string[] = []): Promise<void> {
  const marks = Object.entries(localStorage).filter(([name]) => name.startsWith(markPrefix));
  const formIds = [...unmarked, ...marks.map(([name]) => name.slice(markPrefix.length))];
  if (formIds.length === 0) return;
  await transact("readwrite", (store) => {
    for (const formId of formIds) {
      // Every list that begins with the form's id: a list comes after each text in IndexedDB's order.
      if (formId !== "") store.delete(IDBKeyRange.bound([formId], [formId, []]));
      else store.clear();
    }
  });
  // A page that locked again in the meantime removes the newer mark.
  for (const [name, mark] of marks) if (localStorage.getItem(name) === mark) localStorage.removeItem(name);
}

/** Gives what `act` gave, once the browser has committed the transaction. */
async function transact<Given>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => Given): Promise<Given> {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(storeName, mode);
    const given = act(transaction.objectStore(storeName));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    return given;
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(storeName, { keyPath: ["formId", "person", "fingerprint"] });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
