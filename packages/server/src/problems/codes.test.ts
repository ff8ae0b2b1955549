import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deliveryErrors } from "../deliveries/delivery-error.ts";
import { codeOf } from "./code-of.ts";
import { sentences } from "./codes.ts";
import recorded from "./recorded-codes.json" with { type: "json" };

const packages = join(import.meta.dirname, "..", "..", "..");
const codes = Object.keys(sentences);
const all = Object.entries(sentences).flatMap(([code, texts]) =>
  (typeof texts === "string" ? [texts] : texts).map((text) => ({ code, text })),
);

test("every sentence leads back to its own code, whatever its gaps hold", () => {
  for (const { code, text } of all)
    for (const filling of ["7", "a and b", "Must be at least", "\n", "{}"])
      assert.equal(codeOf(text.replaceAll("{}", filling)), code, text);
  assert.equal(codeOf("A sentence that nobody wrote"), undefined);
});

test("a long text in a gap is looked at in one go", () => {
  const began = process.cpuUsage();
  assert.equal(codeOf(`Unknown member: ${"until the first of them ends (".repeat(50_000)}`), "api_key_unknown_member");
  assert.equal(codeOf("until the first of them ends (".repeat(50_000)), undefined);
  // The processor's time, which a busy machine does not lengthen; it takes a fiftieth of that.
  assert.ok(process.cpuUsage(began).user < 1_000_000);
});

test("no code that was ever answered is gone, and each is recorded", () => {
  assert.deepEqual(
    recorded.codes.filter((code) => !codes.includes(code)),
    [],
    "a code never goes: programs and translations know it",
  );
  assert.deepEqual(
    codes.filter((code) => !recorded.codes.includes(code)),
    [],
    "add the new codes to recorded-codes.json",
  );
  assert.deepEqual(recorded.deliveryCodes.toSorted(), Object.keys(deliveryErrors).toSorted());
});

test("docs/codes.md has each code with its sentence, and says what to do", () => {
  const page = readFileSync(join(packages, "..", "docs", "codes.md"), "utf8");
  const rows = page.split("\n").flatMap((line) => {
    const [, code, sentence, advice = ""] = /^\| `([a-z0-9_]+)` \| (.+?) \| (.+) \|$/.exec(line) ?? [];
    return code === undefined ? [] : [{ code, sentence, advice }];
  });
  const shown = (texts: string | readonly string[]) =>
    (typeof texts === "string" ? [texts] : texts)
      .map((text) => text.replaceAll("{}", "…").replaceAll("|", "\\|"))
      .join(" · ");
  const expected = [...Object.entries(sentences), ...Object.entries(deliveryErrors)];
  assert.deepEqual(
    rows.map(({ code, sentence }) => `${code}: ${sentence}`).toSorted(),
    expected.map(([code, texts]) => `${code}: ${shown(texts)}`).toSorted(),
  );
  for (const { code, advice } of rows) assert.ok(advice.length > 10, code);
});

test("every sentence that the sources have for a field has a code", () => {
  const files = globSync("{server/src/**/*.ts,wire/src/keys.ts}", { cwd: packages });
  const found = files
    .filter((file) => !/\.test\.ts$|testing|doctor|config|commands?\.ts$|codes\.ts$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(packages, file), "utf8").matchAll(
        /"((?:Must|Is|Names must|Numbers must) [^"]+)"|`((?:Must|Names must) [^`]+)`/g,
      ),
    ])
    // A sentence that begins with a gap is made of a rule of a schema: "Must be a string", "Must be \"day\" or \"week\"".
    .filter(([, , template = ""]) => !/^Must be \$|\} \$\{/.test(template))
    .map(([, plain, template = ""]) => plain ?? template.replaceAll(/\$\{[^}]*\}/g, "7"));
  assert.ok(found.length > 30, `${found.length}`);
  assert.deepEqual(
    found.filter((sentence) => codeOf(sentence) === undefined),
    [],
  );
});
