import type { HeadStore } from "../seen-heads.ts";

/** A store of heads that nobody has written to. */
export function createHeadStore(): HeadStore {
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
