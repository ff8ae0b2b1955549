/** The key of the highest version, whatever the order of the list: `undefined` for an empty one. */
export function findNewestKey<Key extends { readonly version: number }>(keys: readonly Key[]): Key | undefined {
  return keys.reduce<Key | undefined>((best, key) => (best && best.version > key.version ? best : key), undefined);
}
