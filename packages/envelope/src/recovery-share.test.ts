import assert from "node:assert/strict";
import { test } from "node:test";
import { combine } from "shamir-secret-sharing";
import { deriveRecoveryKey } from "./recovery-key.ts";
import { joinShares, parseShare, parseShareCode, type RecoveryShare, setOf, splitIdentity } from "./recovery-share.ts";
import { generateSheet } from "./recovery-sheet.ts";

/** Sheets that came from paper. */
async function bring(codes: readonly string[]): Promise<readonly RecoveryShare[]> {
  const parsed = await Promise.all(codes.map(parseShareCode));
  return parsed.flatMap((share) => (share !== undefined && "share" in share ? [share.share] : []));
}

test("a key that was split is joined by any of its sheets, as many as it takes, typed or scanned", async () => {
  const { identity, recipient } = await generateSheet("organization");
  for (const [needed, of] of [
    [2, 2],
    [2, 5],
    [3, 4],
    [16, 16],
  ] as const) {
    const sheets = await splitIdentity(identity, needed, of);
    assert.deepEqual(
      sheets.map(({ place }) => place),
      Array.from({ length: of }, (_, index) => index + 1),
    );
    assert.ok(sheets.every(({ lines }) => lines.length === 5));
    assert.equal(sheets[0]?.set, await setOf(recipient));
    for (let first = 0; first + needed <= of; first++) {
      const some = sheets.slice(first, first + needed).toReversed();
      const typed = await Promise.all(some.map(({ lines }) => parseShare(lines)));
      assert.deepEqual(await joinShares(await bring(some.map(({ code }) => code))), { identity });
      assert.deepEqual(await joinShares(typed.flatMap((share) => ("share" in share ? [share.share] : []))), {
        identity,
      });
    }
    const fewer = await bring(sheets.slice(0, needed - 1).map(({ code }) => code));
    assert.deepEqual(await joinShares(fewer), { missing: 1 });
  }
  const again = await splitIdentity(identity, 2, 5);
  assert.notDeepEqual(again[0]?.value, (await splitIdentity(identity, 2, 5))[0]?.value);
});

test("fewer sheets than it takes say nothing: with each value of the one that is missing they make another key, all equally likely", async () => {
  const { identity } = await generateSheet("organization");
  for (const needed of [2, 3, 5]) {
    const sheets = (await splitIdentity(identity, needed, needed)).slice(1);
    const shares = sheets.map(({ value, place }) => new Uint8Array([...value, place]));
    const keys: Uint8Array[] = [];
    for (let value = 0; value < 256; value++)
      keys.push(await combine([new Uint8Array([...new Uint8Array(32).fill(value), 1]), ...shares]));
    // Each byte of the key takes each of its 256 values, once.
    for (let index = 0; index < 32; index++) assert.equal(new Set(keys.map((key) => key[index])).size, 256);
  }
});

test("only hybrid identities are split, and 2 to 16 sheets of which at least two open", async () => {
  const { identity } = await generateSheet("organization");
  for (const [needed, of] of [
    [1, 3],
    [4, 3],
    [2, 17],
    [0, 0],
  ] as const)
    await assert.rejects(splitIdentity(identity, needed, of), TypeError);
  await assert.rejects(splitIdentity("AGE-SECRET-KEY-1QQQQ", 2, 3), TypeError);
  await assert.rejects(deriveRecoveryKey("AGE-SECRET-KEY-1QQQQ"), TypeError);
});
