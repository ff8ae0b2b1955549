import assert from "node:assert/strict";
import { test } from "node:test";
import rightsJson from "../../wire/vectors/list-rights.json" with { type: "json" };
import { verifyList, verifyNextEntry } from "./list.ts";
import { listFormat } from "./list-entry.ts";
import { RefusalError } from "./refusal.ts";
import { importSigningKey, signLine } from "./signature.ts";
import { signingKey } from "./testing/list-maker.ts";
import { type RightVectors, rightVectors } from "./testing/list-rights.ts";
import { findPersonalKey } from "./testing/people.ts";

// Our own generator wrote the file from this type; JSON only widens the texts.
const { list, organizationId, writtenAt, changes, cases } = rightsJson as unknown as RightVectors;

test("each change, signed by each role, about each member, is taken or refused as the table of roles says", async () => {
  const trust = await signingKey("owner");
  const before = await verifyList(new TextEncoder().encode(list), { organizationId, trust });
  assert.ok(!(before instanceof RefusalError), String(before));
  const { number, hash } = before.head;
  const wrong: string[] = [];
  for (const { change, signedBy, signWith, outcome } of cases) {
    const start = { format: listFormat, organizationId, number: number + 1, previous: hash, writtenAt, signedBy };
    const line = `${JSON.stringify(start).slice(0, -1)},${changes[change]},"extensions":{},"critical":[]}`;
    const signer = await importSigningKey((await findPersonalKey(signWith)).signingSeed);
    const signed = await signLine(listFormat, line, signer);
    const next = await verifyNextEntry(before, organizationId, new TextEncoder().encode(signed));
    const got = next instanceof RefusalError ? next.reason : "verified";
    if (got !== outcome) wrong.push(`${signWith}: ${change}: ${got}, not ${outcome}`);
  }
  assert.deepEqual(wrong, []);
  const outcomes = new Set(cases.map(({ outcome }) => outcome));
  assert.deepEqual([...outcomes].toSorted(), ["not_allowed", "not_signed", "verified"]);
});

test("generating the rights again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await rightVectors())), rightsJson);
});
