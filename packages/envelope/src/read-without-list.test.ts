import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64 } from "@sealpost/wire";
import { findAgeFileWay } from "./age-file-way.ts";
import { parseIdentities } from "./identity-file.ts";
import { readEnvelopeWithoutList } from "./read-without-list.ts";
import { RefusalError } from "./refusal.ts";
import { envelopes, keyCopies, sheets } from "./testing/conformance.ts";
import { curveIdentityOf, findPersonalKey } from "./testing/people.ts";

const bytesOf = (base64: string) => decodeBase64(base64) ?? new Uint8Array();

/** Refusals of vectors that only a list, or what was seen before, leads to: without them these are read. */
const needsMore = new Set([
  "forked",
  "key_missing",
  "not_allowed",
  "not_signed",
  "old_key_log",
  "old_list",
  "old_revision",
  "opened",
  "other_form",
  "other_previous",
  // Nobody knows who wrote it, so it is opened for what it has: nothing is sealed to anybody by it.
  "unknown_extension",
  "unknown_key_log",
  "unknown_list",
  "wrong_revision",
]);

test("without a list an envelope is refused for its form, its bounds, its recipients' number and its keys, as with one", async () => {
  const read = [];
  for (const { name, envelope, reader, outcome } of envelopes) {
    const { identity } = await findPersonalKey(reader);
    const result = await readEnvelopeWithoutList(bytesOf(envelope), identity);
    const reason = result instanceof RefusalError ? result.reason : undefined;
    if (needsMore.has(outcome)) assert.equal(reason, undefined, name);
    else if (outcome !== "wrong_readers") assert.equal(reason, outcome, name);
    else read.push([name, reason]);
  }
  const refused = read.filter(([, reason]) => reason !== undefined);
  assert.deepEqual(refused, [
    ["envelope: a hidden recipient", "wrong_readers"],
    ["envelope: a recipient is missing", "wrong_readers"],
  ]);
});

test("the header of an age file says how it opens, before anything is computed", async () => {
  const wayOf = async (vectors: readonly { readonly name: string }[], name: string) => {
    const vector = vectors.find((candidate) => candidate.name === name);
    assert.ok(vector !== undefined, name);
    const file = "copy" in vector ? vector.copy : "envelope" in vector && vector.envelope;
    const way = await findAgeFileWay(bytesOf(String(file)));
    return way instanceof RefusalError ? way.reason : way;
  };
  const envelopeAlone = { way: "identity", isCopyPossible: false };
  assert.deepEqual(await wayOf(envelopes, "envelope: one key version"), envelopeAlone);
  assert.deepEqual(await wayOf(envelopes, "envelope: readers with hybrid keys"), envelopeAlone);
  assert.deepEqual(await wayOf(envelopes, "envelope: 65 recipients"), "malformed");
  assert.deepEqual(await wayOf(envelopes, "envelope: cut within the header"), "malformed");
  assert.deepEqual(await wayOf(keyCopies, "copy: a sheet"), { way: "identity", isCopyPossible: true });
  assert.deepEqual(await wayOf(keyCopies, "copy: a work factor of 30"), { way: "passphrase", workFactor: 30 });
  assert.deepEqual(await wayOf(keyCopies, "copy: a work factor of 018"), "malformed");
});

test("an identity file has identities of age with comments, and nothing else", async () => {
  const [{ identity }, other] = [await findPersonalKey("hybrid owner"), await findPersonalKey("owner")];
  const curve = await curveIdentityOf("owner");
  assert.deepEqual(parseIdentities(`# created: today\r\n${identity}\r\n\n${other.identity}\n${identity}`), [
    identity,
    other.identity,
  ]);
  const many = sheets.sheets.map((sheet) => sheet.identity).join("\n");
  assert.equal(parseIdentities(many)?.length, sheets.sheets.length);
  const line = `${identity}\n`;
  for (const text of [
    "",
    "# nothing",
    identity.slice(0, -1),
    identity.toLowerCase(),
    `${line}more`,
    curve,
    other.recipient,
  ])
    assert.equal(parseIdentities(text), undefined, text);
  const distinct = parseIdentities(line.repeat(33));
  assert.equal(distinct, undefined, "more than 32 lines");
});
