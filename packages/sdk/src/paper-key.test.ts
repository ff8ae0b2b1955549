import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint, hybridFingerprint } from "@sealpost/wire";
import { firstHybridPair } from "../../../tests/support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { isPaperKey, parsePaperKey, toPaperKey } from "./paper-key.ts";
import { parseOpeningKey } from "./private-key.ts";

const { privateKey, publicKey } = takeKeyPair();
const { lines, code } = await toPaperKey(privateKey);

async function mistakeOf(text: string): Promise<string | undefined> {
  const read = await parsePaperKey(text);
  return "problem" in read ? read.problem : undefined;
}

test("the whole key follows from the lines of paper, and from the code, however they are written", async () => {
  assert.equal(lines.length, 20);
  assert.ok(lines.every((line) => line.length <= 50 && !/[ILOU]/.test(line)));
  const shabby = lines
    .map((line) => line.toLowerCase().replaceAll("0", "o").replace(/ /g, "-").replace(/^o/, "0"))
    .reverse();
  for (const text of [lines.join("\n"), shabby.join("\r\n\r\n"), code, `  ${code.toLowerCase()}\n`]) {
    const read = await parsePaperKey(text);
    assert.ok("key" in read, JSON.stringify(read));
    const { n, e, p, q, dp, dq, qi } = privateKey;
    // `d` may differ by a multiple: what matters is that it opens, which the import checks.
    assert.deepEqual({ ...read.key, d: "" }, { kty: "RSA", n, e, d: "", p, q, dp, dq, qi });
    assert.equal((await parseOpeningKey(read.key, "The key")).fingerprint, await fingerprint(publicKey));
  }
  assert.ok(isPaperKey(lines.join("\n")) && isPaperKey(code));
  assert.ok(isPaperKey(lines.map((line) => line.replaceAll(" ", "")).join("\n")), "without any space");
  assert.ok(
    isPaperKey(lines.join("\r\n").toLowerCase().replaceAll("0", "o").replaceAll("1", "l")),
    "O and L for digits",
  );
  assert.ok(!isPaperKey(JSON.stringify(privateKey)) && !isPaperKey("-----BEGIN AGE"));
});

test("with a hybrid key both keys follow from the lines of paper, and a sheet that ends with the RSA key is not whole", async () => {
  const { privateKey: hybridPrivateKey } = firstHybridPair;
  const both = await toPaperKey(privateKey, hybridPrivateKey);
  assert.equal(both.lines.length, 21);
  for (const text of [both.lines.join("\n"), both.code]) {
    const read = await parsePaperKey(text);
    assert.ok("key" in read, JSON.stringify(read));
    assert.deepEqual(read.hybridPrivateKey, hybridPrivateKey);
    const key = await parseOpeningKey(read, "The key");
    assert.deepEqual(
      [key.fingerprint, key.hybrid?.fingerprint],
      [await fingerprint(publicKey), await hybridFingerprint(firstHybridPair.publicKey)],
    );
  }
  assert.equal(await mistakeOf(both.lines.slice(0, 20).join("\n")), "Line 21 is missing");
  await assert.rejects(toPaperKey(privateKey, { priv: "AAAA" }), TypeError);
});

test("one wrong, missing or swapped character, or line, is named with its line", async () => {
  for (const [index, line] of lines.entries())
    for (const position of [3, 4, line.length - 1]) {
      const wrong = line[position] === "7" ? "8" : "7";
      const typed = lines.with(index, line.slice(0, position) + wrong + line.slice(position + 1));
      assert.match((await mistakeOf(typed.join("\n"))) ?? "", new RegExp(`mistake in line ${index + 1}:`), line);
    }
  const [first = "", second = ""] = lines;
  const swapped = [`01${second.slice(2)}`, `02${first.slice(2)}`, ...lines.slice(2)];
  assert.match((await mistakeOf(swapped.join("\n"))) ?? "", /mistake in line 1:/);
  assert.equal(await mistakeOf(lines.toSpliced(6, 1).join("\n")), "Line 7 is missing");
  assert.equal(await mistakeOf(lines.slice(0, 5).join("\n")), "15 lines are missing, the first is line 6");
  assert.match((await mistakeOf(lines.with(3, "?").join("\n"))) ?? "", /Line 4 is missing/);
  assert.match((await mistakeOf(code.slice(0, -9))) ?? "", /not read completely/);
});
