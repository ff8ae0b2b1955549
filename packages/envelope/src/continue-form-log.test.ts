import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, createKeyLogLine, encodeBase64Url, type KeyLogEntry, type LoggedKey } from "@sealpost/wire";
import { findObstacle, findSignersToName } from "./continue-form-log.ts";
import { findKeyLogSigners } from "./key-log-signers.ts";
import type { VerifiedList } from "./list.ts";
import type { NewMember, Role } from "./member.ts";
import { generatePersonalKey } from "./personal-key.ts";

const keyOf = (number: number) => encodeBase64Url(new Uint8Array(32).fill(number));
const newKey = async () => (await generatePersonalKey()).signingKey;

/** An entry of a log, which its owner and its manager sign, and the key of the next one. */
async function makeKeys() {
  const [owner, manager, stranger, replyKey] = await Promise.all([newKey(), newKey(), newKey(), newKey()]);
  const whole: LoggedKey = { version: 4, fingerprint: keyOf(9), hybridFingerprint: keyOf(10), replyKey };
  const before = {
    ...{
      format: "sealpost-key-log/1",
      formId: createId("form"),
      number: 7,
      place: 3,
      previous: keyOf(8),
      critical: [],
    },
    ...{ writtenAt: "2026-01-01T00:00:00.000Z", signedBy: owner, key: whole, extensions: {} },
    ...{ owners: [owner], managers: [manager] },
  } as const satisfies KeyLogEntry;
  const next: LoggedKey = { ...whole, version: 5, fingerprint: keyOf(12) };
  return { owner, manager, stranger, before, next };
}

const write = (newest: KeyLogEntry, key: LoggedKey, signedBy: string) =>
  createKeyLogLine(
    { head: { number: 7, hash: keyOf(7) }, entry: newest, entries: [newest] },
    { ...newest, key, signedBy },
  );

test("somebody who may not sign the next entry of a key log reads why, and nobody else is refused", async () => {
  const { owner, manager, stranger, before, next } = await makeKeys();
  const rows: readonly (readonly [string, ReturnType<typeof findObstacle>, LoggedKey, number?])[] = [
    [stranger, "no_signer", next],
    [manager, "hybrid_needed", { ...next, hybridFingerprint: null }],
    [manager, "seed_needed", { ...next, replyKey: null }],
    [manager, "version_gap", { ...next, version: 6 }],
    [manager, "places_used", next, 1024],
    [owner, "version_gap", { ...next, version: 4 + 33 }],
  ];
  for (const [signedBy, expected, key, place = 3] of rows) {
    const newest = { ...before, place };
    assert.equal(findObstacle(newest, key, signedBy), expected);
    assert.throws(() => write(newest, key, signedBy), TypeError, `${expected}: no log takes it`);
  }
  for (const signedBy of [owner, manager]) assert.match(write(before, next, signedBy), /"number":8/, "control");
});

test("of 40 owners and two recovery keys those whom the log names sign on, whichever of them writes: nobody is taken out by turns", async () => {
  const { before, next } = await makeKeys();
  const toMember = (role: Role, number: number): NewMember => {
    const signingKey = keyOf(100 + number);
    return { id: createId("account"), name: `${role} ${number}`, role, recipient: "", signingKey };
  };
  const owners = Array.from({ length: 40 }, (_, index) => toMember("owner", index));
  const recovery = [toMember("recovery", 50), toMember("recovery", 51)];
  const members = new Map([...owners, toMember("manager", 60), ...recovery].map((member) => [member.id, member]));
  const list = { members } as unknown as VerifiedList; // what is asked of one
  const own = (index: number) => owners[index]?.signingKey ?? assert.fail();
  const begun = findKeyLogSigners(list, own(39));
  assert.deepEqual([begun.owners.length, begun.managers.length], [32, 0]);
  assert.ok(
    [own(39), ...recovery.map(({ signingKey }) => signingKey)].every((key) => begun.owners.includes(key ?? "")),
  );
  const log = { entry: { ...before, owners: begun.owners.toSorted(), managers: [] } };
  const followed = { kind: "checked", log, bytes: new Uint8Array() } as unknown as Parameters<
    typeof findSignersToName
  >[0];
  for (const key of log.entry.owners) assert.equal(findSignersToName(followed, list, key), undefined);
  const outside = owners.map(({ signingKey }) => signingKey ?? "").filter((key) => !begun.owners.includes(key));
  assert.equal(outside.length, 10);
  for (const key of outside) assert.equal(findObstacle(log.entry, next, key), "no_signer");
  // Somebody who is named has left: another owner takes their place, and all others stay.
  const [gone = assert.fail()] = owners;
  members.delete(gone.id);
  const named = findSignersToName(followed, list, own(39)) ?? assert.fail();
  assert.equal(named.owners.filter((key) => begun.owners.includes(key)).length, 31);
});
