import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kept, type Place, places } from "./kept.ts";

const packages = join(import.meta.dirname, "..");
const files = ["dashboard", "vault"]
  .flatMap((name) => globSync(`${name}/src/**/*.{ts,tsx}`, { cwd: packages }))
  .filter((file) => !/\.test\.ts$|\/testing\//.test(file));
const read = (file: string) => readFileSync(join(packages, file), "utf8");

/** Without comments, which may name what is not used. */
const codeOf = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

const findPlaces = (source: string): Place[] =>
  (Object.keys(places) as Place[]).filter((place) => places[place].test(codeOf(source))); // names of this very table

test("all that the dashboard keeps in a browser is in the table of what is kept, with what it ends with", () => {
  const found = files.flatMap((file) => findPlaces(read(file)).map((place) => `${place}: ${file}`));
  const declared = kept.flatMap(({ place, sources }) => sources.map((file) => `${place}: ${file}`));
  assert.deepEqual([...new Set(found)].toSorted(), [...new Set(declared)].toSorted());
  // The name of a channel or a lock is written once, in the file of another row perhaps.
  const sources = [...new Set(kept.flatMap((row) => row.sources))].map(read).join("\n");
  for (const { name } of kept) assert.match(sources, new RegExp(`["\`/]${name}["\`.$]`), name);
});

test("each place of the table is found in a source, whatever else is in it", () => {
  const uses = {
    "session storage": 'window.sessionStorage.setItem("a", "b")',
    "local storage": 'localStorage.setItem("a", "b")',
    IndexedDB: 'indexedDB.open("a")',
    channel: 'new BroadcastChannel("a")',
    worker: 'import url from "./a.ts?worker&url"',
    lock: 'navigator.locks.request("a", act)',
    elsewhere: 'document.cookie = "a=b"',
  } satisfies Record<Place, string>;
  for (const [place, use] of Object.entries(uses)) assert.deepEqual(findPlaces(`const a = 1;\n${use};\n`), [place]);
  for (const use of ["caches.open(name)", "window.name = a", "history.pushState(draft, a)", "navigator.serviceWorker"])
    assert.deepEqual(findPlaces(use), ["elsewhere"], use);
  assert.deepEqual(findPlaces("/** localStorage holds nothing. */ const a = 1;"), []);
});
