import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");

/** Values by which a source opens a connection, by the module that they come from. */
const openers: Readonly<Record<string, readonly string[]>> = {
  "node:dns": ["promises", "lookup", "resolve4", "Resolver"],
  "node:dns/promises": ["lookup", "resolve4", "Resolver"],
  "node:http": ["request", "get"],
  "node:http2": ["connect"],
  "node:https": ["request", "get"],
  "node:net": ["connect", "createConnection"],
  "node:tls": ["connect"],
  nodemailer: ["createTransport"],
  pg: ["Client", "Pool"],
  undici: ["fetch", "request", "Client", "Pool", "Agent"],
};

function opensConnections(code: string): boolean {
  if (/(?<![.\w])fetch\(/.test(code) || /new (WebSocket|EventSource)\(/.test(code)) return true;
  return Array.from(code.matchAll(/^import (?!type)(.+?) from "([^"]+)";/gms)).some(([, names = "", module = ""]) => {
    const values = names.split(/[{},]/).map((name) => name.trim().split(" as ")[0]);
    return openers[module]?.some((name) => values.includes(name)) === true;
  });
}

test("whatever opens a connection in the service is in the guide's table of connections, and all of that table does", () => {
  const sources = globSync("packages/server/src/**/*.ts", { cwd: root }).filter(
    (path) => !/\.test\.ts$|\/testing\//.test(path),
  );
  const found = sources.filter((path) => opensConnections(readFileSync(join(root, path), "utf8")));
  const guide = readFileSync(join(root, "docs/self-hosting.md"), "utf8");
  const [, section = ""] = /^## Where the service connects\n(.*?)^## /ms.exec(guide) ?? [];
  const listed = Array.from(section.matchAll(/\]\(\.\.\/(packages\/server\/src\/[^)]+)\)/g), ([, path]) => path);
  assert.ok(listed.length > 8, `a control: ${listed.length}`);
  assert.deepEqual(found.toSorted(), listed.toSorted());
});
