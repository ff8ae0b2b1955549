import type { HeadStore } from "@sealpost/envelope";

/** For a reader or a writer, which keeps what was seen for each key apart: a store of one key alone, in which a page of the same person finds it. */
export function oneKeyStore({ isLasting, find, change }: HeadStore): HeadStore {
  const bare = (name: string) => name.replace(/^[\w-]{43} /, "");
  return { isLasting, find: (name) => find(bare(name)), change: (name, changed) => change(bare(name), changed) };
}
