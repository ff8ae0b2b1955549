import { sortList } from "./client/sort-list.ts";

/** The key of the highest version, whatever the order of the list: `undefined` for an empty one. */
export function findNewestKey<Key extends { readonly version: number }>(keys: readonly Key[]): Key | undefined {
  return keys.reduce<Key | undefined>((best, key) => (best && best.version > key.version ? best : key), undefined);
}

/** The keys by version, the newest first: sorted where a list comes in, so that nobody has to assume its order. */
export function newestFirst<Key extends { readonly version: number }>(keys: readonly Key[]): Key[] {
  return sortList(keys, (a, b) => b.version - a.version);
}
