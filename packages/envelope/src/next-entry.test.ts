import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64 } from "@sealpost/wire";
import { envelopeBytesMax } from "./envelope-content.ts";
import { checkEnvelopeForm } from "./envelope-form.ts";
import { type VerifiedList, verifyNextEntry } from "./list.ts";
import type { Change } from "./list-entry.ts";
import { toNamesFile } from "./names.ts";
import { createListEntry, type SignedEntry } from "./next-entry.ts";
import { RefusalError } from "./refusal.ts";
import { bytesOf, envelopes, lists } from "./testing/conformance.ts";
import { idOf, organizationId, toMember, toSigner } from "./testing/people.ts";

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

test("a name is committed to once, and repeated by an entry that changes something else, also while it is missing", async () => {
  const signer = await toSigner("owner");
  const write = (list: VerifiedList | undefined, change: Change) =>
    createListEntry(list, organizationId, change, signer);
  const verified = async (list: VerifiedList | undefined, { entry, names }: SignedEntry) => {
    const next = await verifyNextEntry(list, organizationId, new TextEncoder().encode(entry), toNamesFile(names));
    if (next instanceof RefusalError) throw next;
    return next.list;
  };
  const founder = await toMember("owner");
  const begun = await verified(undefined, await write(undefined, { change: "add", member: founder }));
  const reader = { ...(await toMember("reader")), name: "Bela Example" };
  const added = await write(begun, { change: "add", member: reader });
  const [known, missing] = [await verified(begun, added), await verified(begun, { ...added, names: [] })];
  assert.deepEqual(
    [known.members.get(reader.id)?.name, missing.members.get(reader.id)?.name],
    [reader.name, undefined],
  );
  for (const list of [known, missing]) {
    const before = list.members.get(reader.id) ?? assert.fail();
    const changed = await write(list, { change: "replace", member: { ...before, role: "auditor" } });
    assert.deepEqual(changed.names, []);
    const after = (await verified(list, changed)).members.get(reader.id);
    assert.deepEqual(after, { ...before, role: "auditor" });
    const renamed = await write(list, { change: "replace", member: { ...before, name: "Bela Other" } });
    assert.equal(renamed.names.length, 1);
    assert.equal((await verified(list, renamed)).members.get(reader.id)?.name, "Bela Other");
    assert.equal((await verified(list, { ...renamed, names: [] })).members.get(reader.id)?.name, undefined);
  }
  // Whether it is the same name can't be said of one that is missing.
  assert.equal((await write(missing, { change: "replace", member: reader })).names.length, 1);
  await assert.rejects(
    write(known, { change: "add", member: { ...reader, id: idOf("manager"), name: undefined } }),
    RefusalError,
  );
  const called = await verified(known, await write(known, { change: "name", name: "Example Council" }));
  assert.equal(called.organizationName, "Example Council");
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
