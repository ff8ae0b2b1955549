import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { idPattern } from "./ids.ts";
import { paddedSize } from "./padding.ts";
import { additionalData } from "./payload.ts";
import { binding } from "./testing/opening-vectors.ts";

const folder = join(import.meta.dirname, "..");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

test("the example of the README is example.ts, and prints what the README says", () => {
  const example = read("example.ts");
  const readme = read("README.md");
  assert.ok(readme.includes(`\`\`\`ts\n${example}\`\`\`\n`));
  const output = execFileSync(process.execPath, ["--conditions=@sealpost/source", join(folder, "example.ts")], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  assert.equal(output.trim(), "{ email: 'ada@example.com', topics: [ 'forms', 'privacy' ] }");
  assert.ok(readme.includes('{ email: "ada@example.com", topics: ["forms", "privacy"] }'));
});

test("the specification's additional data is ours, byte for byte", () => {
  const dump = /are\nthe (\d+) bytes\n\n((?: {4}[0-9a-f ]+\n)+)/.exec(read("SPECIFICATION.md"));
  assert.equal(dump?.[2]?.replaceAll(/\s/g, ""), Buffer.from(additionalData(binding)).toString("hex"));
  assert.equal(Number(dump?.[1]), additionalData(binding).length);
});

test("the specification's padded sizes and id patterns are ours", () => {
  const text = read("SPECIFICATION.md");
  const section = text.slice(text.indexOf("## 4."), text.indexOf("## 5."));
  const rows = [...section.matchAll(/^\| (\d.*) \|$/gm)].map((row) => (row[1] ?? "").split(" | ").map(Number));
  const sizes = rows.flatMap(([a = -1, b, c = -1, d, e = -1, f]) => [
    [a, b] as const,
    [c, d] as const,
    [e, f] as const,
  ]);
  assert.equal(sizes.length, 18);
  for (const [size, padded] of sizes) assert.equal(paddedSize(size), padded, `${size}`);
  for (const kind of ["form", "submission", "apiKey", "delivery", "event", "account", "file"] as const) {
    const prefix = idPattern(kind).slice(1, 4);
    const documented = [...text.matchAll(/`(\^([a-z]+)_\[0-7\]\S+\$)`/g)].find((found) => found[2]?.startsWith(prefix));
    const pattern = documented?.[1] ?? "";
    assert.notEqual(pattern, "", kind);
    // Two ways to write the same class: every character either matches both or neither.
    for (let code = 0; code < 128; code++) {
      const id = `${documented?.[2]}_0${"0".repeat(24)}${String.fromCharCode(code)}`;
      assert.equal(new RegExp(pattern).test(id), new RegExp(idPattern(kind)).test(id), id);
    }
  }
});
