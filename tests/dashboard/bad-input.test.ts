import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { generateSheet, joinShares, RefusalError, splitIdentity } from "@sealpost/envelope";
import { checkLine, readSheetCode, readSheetLines } from "@sealpost/vault";
import { PasskeyRefused } from "../../packages/dashboard/src/api/passkey-api.ts";
import { describeUnlockError } from "../../packages/dashboard/src/key-copies/describe-unlock-error.ts";
import { PasskeyWithoutPrf } from "../../packages/dashboard/src/key-copies/passkey-without-prf.ts";
import { envelopeRefusals } from "../../packages/texts/src/en/dashboard/envelope-refusals.ts";
import { personalKey } from "../../packages/texts/src/en/dashboard/personal-key.ts";
import { recovery } from "../../packages/texts/src/en/dashboard/recovery.ts";

/** The sentence of `describeUnlockError`, and nothing else. */
const describe = (error: unknown) => describeUnlockError(error, "a wrong secret");

test("at unlocking a wrong secret, a passkey that can't unlock, one that was not used, a damaged copy and one of another key have a sentence each; an error of another kind has none of these", () => {
  assert.equal(describe(new RefusalError("wrong_secret")), "a wrong secret");
  assert.match(describe(new PasskeyWithoutPrf()) ?? "", /can sign in, but it can't unlock a key.*another way/);
  assert.equal(describe(new PasskeyRefused("closed")), "closed");
  assert.match(describe(new RefusalError("malformed")) ?? "", /damaged copy\. Unlock in another way/);
  assert.match(describe(new RefusalError("other_key")) ?? "", /another key than yours\. It was not opened/);
  assert.equal(describe(new TypeError("fetch failed")), undefined);
});

test("a sheet of another kind, of a form, and a code of something else are distinguished, typed and scanned", async () => {
  const [own, organization] = [await generateSheet("personal"), await generateSheet("organization")];
  const [share = assert.fail()] = await splitIdentity(organization.identity, 2, 3);
  assert.deepEqual(await readSheetLines("personal", organization.lines), { refused: "organization" });
  assert.deepEqual(await readSheetLines("personal", share.lines), { refused: "share" });
  assert.deepEqual(await readSheetLines("share", own.lines), { refused: "personal" });
  assert.equal(await checkLine("personal", 0, share.lines[0] ?? ""), "share");
  assert.deepEqual(await readSheetCode(["personal"], share.code), { refused: "share" });
  assert.deepEqual(await readSheetCode(["personal"], "SEALPOST:KEY1:ABC"), { refused: "formSheet" });
  assert.deepEqual(await readSheetCode(["personal"], "https://example.com/"), { refused: "noSheet" });
  assert.deepEqual(await readSheetCode(["personal"], own.code), { identity: own.identity });
  assert.match(personalKey.sheetInput.share, /one of several/);
});

test("a share of another set has a sentence, and the right ones still open", async () => {
  const [paper, other] = [await generateSheet("organization"), await generateSheet("organization")];
  const [first = assert.fail(), second = assert.fail()] = await splitIdentity(paper.identity, 2, 3);
  const [foreign = assert.fail()] = await splitIdentity(other.identity, 2, 3);
  const refused = await joinShares([first, foreign]);
  assert.ok("refused" in refused);
  assert.match(recovery.input.refused[refused.refused], /another set than the one before/);
  assert.deepEqual(await joinShares([first, second]), { identity: paper.identity });
});

test("the list or link of another organization has a sentence that says what to do", () => {
  for (const reason of ["other_organization", "wrong_link", "ended", "used"] as const) {
    const { title, hint } = envelopeRefusals[reason];
    assert.ok(title.length > 15 && /Load|Copy|Ask|make a new/.test(hint), reason);
  }
});
