import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");

test("the guide's command makes one file of the receiver's library, which needs nothing else", async (t) => {
  const file = bundle(t, "docs/receivers.md");
  assert.doesNotMatch(readFileSync(file, "utf8"), /^import /m);
  const library: object = await import(pathToFileURL(file).href);
  assert.ok("createReceiver" in library && "createClient" in library);
});

test("the guide's command makes one file of the React component, which needs React alone", (t) => {
  const source = readFileSync(bundle(t, "docs/embed.md"), "utf8");
  const needed = [...source.matchAll(/^import .* from "([^"]+)"/gm)].map(([, name]) => name?.split("/")[0]);
  assert.deepEqual([...new Set(needed)], ["react"]);
  assert.match(source, /^ {2}SealpostForm,?$/m);
});

/** Runs the one line of the guide that begins with `npx esbuild`, but for where its file goes. */
function bundle(t: TestContext, guide: string): string {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-bundle-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const line = /^npx (esbuild .+) --outfile=(\S+)$/m.exec(readFileSync(join(root, guide), "utf8"));
  assert.ok(line !== null, `${guide} has no such line`);
  const [, command = "", name = ""] = line;
  const [program = "", ...options] = command.split(" ");
  const file = join(folder, name.replace(/\.js$/, ".mjs"));
  const ended = spawnSync(join(root, "node_modules", ".bin", program), [...options, `--outfile=${file}`], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(ended.status, 0, ended.stderr);
  return file;
}
