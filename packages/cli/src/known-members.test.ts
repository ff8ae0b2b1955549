import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  formatPersonalKey,
  generateReadingKey,
  generateSheet,
  recipientFingerprint,
  sealKeyCopy,
} from "@sealpost/envelope";
import { encodeBase64Url } from "@sealpost/wire";
import {
  createSigner,
  fetchList,
  signEntry,
  toMember,
} from "../../server/src/organizations/testing/test-member-list.ts";
import { addPerson } from "../../server/src/organizations/testing/test-organization.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

/** An owner with a form, and Cleo and Mia, who are readers in the list. `add` makes somebody a reader of the form, by name or id. */
async function setUp(t: Parameters<typeof createReadingProgram>[0]) {
  const world = await createReadingProgram(t);
  const { owner, formId, folder, service } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const makeReader = async (name: string, email: string) => {
    const account = await addPerson(service, owner.account, email, { role: "reader", forms: [formId] });
    const signer = await createSigner(service, account, owner.organizationId);
    const member = { ...toMember(signer, "reader"), name };
    await world.changeList("add", member);
    return { signer, member };
  };
  const cleo = await makeReader("Cleo Example", "cleo@example.com");
  const mia = await makeReader("Mia Example", "mia@example.com");
  await world.write([]);
  // A reader writes in the list about the key in use alone.
  const { recipient, signingKey } = mia.member;
  const sheet = await generateSheet("personal");
  const file = encodeBase64Url(await sealKeyCopy(mia.signer.key, { recipient: sheet.recipient }));
  const copies = [{ way: "sheet" as const, name: "Sheet", file }];
  await mia.signer.client.personalKey.create({ recipient, signingKey, copies });

  /** By an entry about herself. */
  async function renameMia(name: string) {
    const list = await fetchList(owner);
    const entry = await signEntry(mia.signer, list, { change: "replace", member: { ...mia.member, name } });
    await mia.signer.client.memberList.add(entry, list.head);
  }
  const withKey = ["--identity", "key.txt"];
  const run = (...parameters: readonly string[]) => world.runAs(owner.account.token, parameters);
  const add = (...parameters: readonly string[]) =>
    run("keys", "readers", "add", "--form", formId, ...withKey, ...parameters);
  const readers = async () => {
    const listed = await run("keys", "readers", "list", "--form", formId, ...withKey, "--json");
    return JSON.parse(listed.output).map(({ id }: { readonly id: string }) => id) as readonly string[];
  };
  const fingerprintOf = async (id: string) =>
    recipientFingerprint((await fetchList(owner)).members.get(id) ?? assert.fail());
  return { owner, cleo: cleo.member, mia: mia.member, renameMia, run, add, readers, fingerprintOf, withKey };
}

// Row B7 of the findings on 6a710908, shown by name.test.ts.
test("B7: a reader who takes the name of somebody else, or one that looks the same, is not sealed for by that name before their key is expected", async (t) => {
  const { owner, cleo, mia, renameMia, run, add, readers, fingerprintOf, withKey } = await setUp(t);
  const asked = ["Cleo Example", mia.id];
  for (const name of ["Cleo Example", "Cl\u0435o Example", "Cleo\u200b Example"]) {
    await renameMia(name);
    for (const who of [...asked, name]) {
      const refused = await add(who);
      assert.equal(refused.code, 2, `${who}, ${JSON.stringify(name)}: ${refused.errors}`);
      assert.match(refused.errors, /looks like|Several members are called/);
    }
    assert.deepEqual(await readers(), [owner.account.id]);
    const listed = await run("keys", "listed", "list", ...withKey);
    assert.match(listed.output, /they gave themselves this name; looks like Cleo Example/);
  }
  // A name that nobody else has: it is theirs alone all the same, as if Cleo had never been here.
  await renameMia("Hotline Director");
  const refused = await add("Hotline Director");
  assert.equal(refused.code, 2);
  assert.match(refused.errors, /they gave themselves this name.*--expect-key\. Nothing was changed/);
  // By the key of another it is not done either.
  const other = await add("Hotline Director", "--expect-key", await fingerprintOf(cleo.id));
  assert.equal(other.code, 9, other.errors);
  const created = await run("forms", "create", "Second", "--envelope", ...withKey, "--reader", "Hotline Director");
  assert.equal(created.code, 2, created.errors);
  assert.deepEqual(await readers(), [owner.account.id]);

  const known = await add("Hotline Director", "--expect-key", await fingerprintOf(mia.id));
  assert.equal(known.code, 0, known.errors);
  assert.deepEqual([...(await readers())].sort(), [owner.account.id, mia.id].sort());
});

test("a member whom somebody else vouches for, and who is called as nobody else is, is added by name, and shown with their key", async (t) => {
  const { cleo, mia, add, readers, fingerprintOf } = await setUp(t);
  const { id } = cleo;
  const fingerprint = await fingerprintOf(id);
  const twice = await add("Cleo Example", "--expect-key", `${fingerprint},${await fingerprintOf(mia.id)}`);
  assert.match(twice.errors, /a key that is nobody's of those who are named/);
  const added = await add("Cleo Example");
  assert.equal(added.code, 0, added.errors);
  assert.ok(added.errors.includes(`Cleo Example (reader, ${id}), key ${fingerprint}\n`), added.errors);
  assert.ok((await readers()).includes(id));
});

test("control: an owner who gives somebody this name vouches for it", async (t) => {
  const { owner, mia, renameMia, add } = await setUp(t);
  await renameMia("Mia Sample");
  assert.equal((await add("Mia Sample")).code, 2);
  const list = await fetchList(owner);
  const member = { ...mia, name: "Mia Muster" };
  await owner.client.memberList.add(await signEntry(owner, list, { change: "replace", member }), list.head);
  assert.equal((await add("Mia Muster")).code, 0);
});

test("a program is not added under a name that looks like a member's before its key is expected", async (t) => {
  const { add, cleo, readers, fingerprintOf } = await setUp(t);
  const { recipient } = await generateReadingKey();
  const adding = ["--program", "Cl\u0435o Example", "--recipient", recipient];
  for (const expected of [[], ["--expect-key", await fingerprintOf(cleo.id)]]) {
    const refused = await add(...adding, ...expected);
    assert.deepEqual([refused.code, refused.output], [2, ""], refused.errors);
    assert.match(refused.errors, /looks like Cleo Example \(acc_\w+\).*Nothing was changed/);
  }
  const before = (await readers()).length;
  const fingerprint = encodeBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(recipient))),
  );
  const known = await add(...adding, "--expect-key", fingerprint);
  assert.equal(known.code, 0, known.errors);
  assert.equal((await readers()).length, before + 1);
});
