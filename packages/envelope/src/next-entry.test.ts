import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64 } from "@sealpost/wire";
import { envelopeBytesMax } from "./envelope-content.ts";
import { checkEnvelopeForm } from "./envelope-form.ts";
import { type VerifiedList, verifyNextEntry } from "./list.ts";
import { RefusalError } from "./refusal.ts";
import { bytesOf, envelopes, lists } from "./testing/conformance.ts";

/** The list that entry after entry makes, or the first refusal. */
async function verifyEachEntry(bytes: Uint8Array, organizationId: string): Promise<VerifiedList | string> {
  const lines = new TextDecoder().decode(bytes).split("\n");
  let list: VerifiedList | undefined;
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const entry = new TextEncoder().encode(`${lines[index]}\n${lines[index + 1]}\n`);
    const next = await verifyNextEntry(list, organizationId, entry);
    if (next instanceof RefusalError) return next.reason;
    ({ list } = next);
  }
  return list ?? "malformed";
}

test("a list is the same, entry by entry, as all at once; and what one refuses, the other does", async () => {
  const seen = new Set<string>();
  for (const vector of lists) {
    const result = await verifyEachEntry(bytesOf(vector), vector.organizationId);
    // The others are about the list as a whole, or about what was seen before.
    const isOfEntries = ["not_signed", "not_allowed", "other_organization", "broken_chain"].includes(vector.outcome);
    if (isOfEntries) assert.equal(result, vector.outcome, vector.name);
    if (vector.outcome !== "verified") continue;
    assert.ok(typeof result !== "string", `${vector.name}: ${result}`);
    assert.deepEqual(result.head, vector.head);
    assert.deepEqual([...result.members.keys()].sort(), [...(vector.members ?? [])].sort());
    assert.deepEqual(result.membersAt(result.head), result.members);
    seen.add(vector.name);
  }
  assert.ok(seen.size > 3);
  await assert.rejects(
    verifyNextEntry({} as VerifiedList, "", new TextEncoder().encode("{}\n{}\n")), // no list at all
    TypeError,
  );
});

test("whether a file is an envelope by its outer form is seen without any key", async () => {
  for (const { envelope, outcome, name } of envelopes) {
    const file = decodeBase64(envelope) ?? new Uint8Array();
    const readers = await checkEnvelopeForm(file);
    if (outcome !== "malformed") assert.ok(typeof readers === "number" && readers >= 1, name);
    const large = new Uint8Array(envelopeBytesMax + 1);
    large.set(file.subarray(0, envelopeBytesMax));
    assert.ok((await checkEnvelopeForm(large)) instanceof RefusalError);
  }
  const text = (value: string) => checkEnvelopeForm(new TextEncoder().encode(value));
  for (const other of ["", "age-encryption.org/v1\n--- ", "age-encryption.org/v1\n-> scrypt aaaa 30\nbbbb\n--- x"])
    assert.ok((await text(other)) instanceof RefusalError, other);
});
