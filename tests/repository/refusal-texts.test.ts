import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusalError, reasons } from "../../packages/envelope/src/refusal.ts";
import { answerRefusals, joinRefusals } from "../../packages/texts/src/en/dashboard/admission-refusals.ts";
import { devices } from "../../packages/texts/src/en/dashboard/devices.ts";
import { envelopeRefusals, listRefusals } from "../../packages/texts/src/en/dashboard/envelope-refusals.ts";
import { personalKey } from "../../packages/texts/src/en/dashboard/personal-key.ts";
import { personalKeyReplaced } from "../../packages/texts/src/en/dashboard/personal-key-replaced.ts";
import { sweepRefusals } from "../../packages/texts/src/en/dashboard/readers.ts";
import { recovery } from "../../packages/texts/src/en/dashboard/recovery.ts";

const tables = { listRefusals, envelopeRefusals, sweepRefusals, joinRefusals, answerRefusals };

/** Sentences without a title of their own: of sheets, devices, former keys and ways to unlock. */
const sentences: Readonly<Record<string, string>> = {
  ...recovery.use.refused,
  ...prefixed("sheets", recovery.input.refused),
  ...prefixed("sheets of another kind", recovery.input.other),
  ...prefixed("receive", {
    wrong: devices.receive.wrong,
    otherKey: devices.receive.otherKey,
    ended: devices.receive.ended,
  }),
  ...prefixed("give", {
    none: devices.give.none,
    ended: devices.give.ended,
    other: devices.give.other,
    wrong: devices.give.wrong,
    scanned: devices.give.scanned,
  }),
  ...prefixed("changed", {
    hint: personalKeyReplaced.changed.hint,
    formerHint: personalKeyReplaced.changed.formerHint,
    noFormerKeyHint: personalKeyReplaced.carryOver.noFormerKeyHint,
  }),
  ...prefixed("unlock", {
    wrongWords: personalKey.unlock.wrongWords,
    notWords: personalKey.unlock.notWords,
    passkeyClosed: personalKey.unlock.passkeyClosed,
    passkeyWithoutPrf: personalKey.unlock.passkeyWithoutPrf,
    passkeyWrong: personalKey.unlock.passkeyWrong,
    damaged: personalKey.unlock.damaged,
    otherKey: personalKey.unlock.otherKey,
  }),
};

function prefixed(name: string, texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([code, sentence]) => [`${name}: ${code}`, sentence]));
}

/** Words that somebody would have to be taught. */
const jargon =
  /\b(?:hash\w*|heads?|HMAC|MAC|signatures?|revisions?|fingerprints?|stanzas?|ciphertext|payload|nonce|recipients?|crypto\w*|bytes?|JSON|Ed25519|age file|fork\w*|malformed|verif\w+|plaintext|terms|admission\w*)\b/i;

/** Said to the person: something that they can do now, or that nothing has to be done. */
const advice =
  /\b(?:ask|try|load|make|open|copy|compare|call|save|look|rotate|take|accept|keep|wait|begin|bring|choose|use|change|unlock|tell|scan|say|have them|type|are of no use here|nothing to recover)\b/i;

test("each refusal of a list, an envelope, a link, a device, a sheet or a key says in plain words what happened and what to do", () => {
  const texts = Object.entries(tables).flatMap(([name, table]) =>
    Object.entries(table).map(([code, { title, hint }]) => ({ at: `${name}.${code}`, title, hint })),
  );
  assert.ok(texts.length > 80, `${texts.length}`);
  for (const { at, title, hint } of texts) {
    assert.match(title, /^[A-Z].{10,110}[^.!?]$/, at);
    assert.match(hint, /^[A-Z].+\.$/, at);
    assert.match(hint, advice, at);
    assert.doesNotMatch(`${title} ${hint}`, jargon, at);
  }
  for (const [at, sentence] of Object.entries(sentences)) {
    assert.match(sentence, /^[A-Z].+\.$/, at);
    assert.match(sentence, advice, at);
    assert.doesNotMatch(sentence, jargon, at);
  }
});

test("no code of a refusal is without a sentence, and none is said twice by mistake in one place", () => {
  const known = new Set(Object.values(tables).flatMap((table) => Object.keys(table)));
  // Said on the pages where a key is unlocked, made or brought back.
  const elsewhere = ["wrong_secret", "other_key"];
  assert.deepEqual(
    reasons.filter((reason) => !known.has(reason) && !elsewhere.includes(reason)),
    [],
  );
  for (const reason of reasons) assert.match(new RefusalError(reason).message, /^[A-Z].{15,}[^.]$/, reason);
  const sameOnPurpose = new Set(["forked", "old_list", "unknown_list", "broken_chain", "not_vouched"]);
  for (const [name, table] of Object.entries(tables)) {
    const titles = Object.entries(table)
      .filter(([code]) => !(name === "joinRefusals" && sameOnPurpose.has(code)))
      .map(([, { title }]) => title);
    assert.equal(new Set(titles).size, titles.length, name);
  }
});

test("somebody who was invited reads nothing of envelopes, key files or other pages, but whom to ask", () => {
  for (const [code, { title, hint }] of Object.entries(joinRefusals)) {
    assert.doesNotMatch(`${title} ${hint}`, /envelope|key file|Members page|audit/i, code);
    if (code !== "malformed") assert.match(hint, /\bask\b|call|owner/i, code);
  }
});
