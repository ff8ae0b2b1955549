import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Removes the oldest backups next to `made`, which is the newest, until `count` are left, `made` among them. They go by the times in
 * their names: by their age on the disk a clock that is wrong would have all of them deleted. Those that are named by a later time than
 * `made` are neither counted nor removed: a clock was wrong when they were made, or is now.
 */
export function keepNewest(
  made: string,
  count: number,
): { readonly removed: readonly string[]; readonly ahead: readonly string[] } {
  const folder = dirname(made);
  const names = readdirSync(folder)
    .filter((name) => /^sealpost-\d{8}T\d{6}Z\.backup$/.test(name))
    .sort();
  const ahead = names.filter((name) => name > basename(made));
  const removed = names.slice(0, Math.max(0, names.length - ahead.length - count));
  for (const name of removed) rmSync(join(folder, name));
  return { removed, ahead };
}
