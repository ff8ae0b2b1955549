import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { envelopeBytesMax, keysMax, readersMax } from "./envelope-content.ts";
import { entriesMax, lineBytesMax, listBytesMax } from "./list.ts";
import { membersMax, placesMax, recoveryKeysMax } from "./list-rules.ts";
import { RefusalError, reasons } from "./refusal.ts";

const folder = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(folder, path), "utf8");

test("the example of the README is example.ts, and prints what the README says", () => {
  const readme = read("README.md");
  assert.ok(readme.includes(`\`\`\`ts\n${read("example.ts")}\`\`\`\n`));
  const output = execFileSync(process.execPath, ["--conditions=@sealpost/source", join(folder, "example.ts")], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
  });
  assert.equal(output.trim(), "[ 'Ada', 'Zoë' ]");
  assert.ok(readme.includes('[ "Ada", "Zoë" ]'));
});

test("the specification names every refusal and every bound, and no other", () => {
  const text = read("../wire/SPECIFICATION.md");
  const sections = text.slice(text.indexOf("## 14."));
  const named = [...sections.matchAll(/\*\*`(\w+)`\*\*/g)].map(([, name = ""]) => name);
  // The last two are found where revisions are followed, and brought back.
  const all = [...reasons, "verified", "opened", "former_writer", "owner_needed"];
  assert.deepEqual([...new Set(named)].sort(), all.sort());
  const number = (value: number) => value.toLocaleString("en");
  for (const bound of [
    `${number(listBytesMax)} bytes`,
    `${number(membersMax)} members, and ${recoveryKeysMax} recovery keys`,
    `It is at most ${number(placesMax)}`,
    `${number(entriesMax)} entries`,
    `${number(lineBytesMax)} bytes in`,
    `${number(envelopeBytesMax)} bytes`,
    `1 to ${keysMax}`,
    `1 to ${readersMax}`,
  ])
    assert.ok(sections.includes(bound), bound);
});

test("each refusal has one sentence, and no two have the same", () => {
  const sentences = reasons.map((reason) => new RefusalError(reason).message);
  assert.equal(new Set(sentences).size, reasons.length);
});
