import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { formatPersonalKey, importSigningKey } from "@sealpost/envelope";
import {
  formatTime,
  type KeyLogEntry,
  keyLogFormat,
  noExtensions,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import { createReadingProgram } from "../../packages/cli/src/testing/reading-program.ts";
import { signLine } from "../../packages/envelope/src/signature.ts";
import { createSigner, toMember } from "../../packages/server/src/organizations/testing/test-member-list.ts";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";

// Row B4 of the findings on 6a710908, shown by manager.test.ts: a manager's entry with `signers: [himself]` was taken by the real service. Once he was
// removed, nobody could rotate the form or renew its log, and giving the log up stops every page that pins it.

type Edit = (before: KeyLogEntry, own: string) => Partial<Record<keyof KeyLogEntry, unknown>>;

/** Entries of a manager after which nobody else could continue: one for each member that says who continues, or from where. */
const attacks: Readonly<Record<string, Edit>> = {
  "himself alone as owner": (_, own) => ({ owners: [own], managers: [] }),
  "himself as one more owner": ({ owners }, own) => ({ owners: [...owners, own].sort(), managers: [] }),
  "himself alone as manager, and no change of owners": (_, own) => ({ managers: [own] }),
  "an owner as manager": ({ owners }, own) => ({ owners: [own], managers: owners }),
  "the same signers, and the same key": () => ({}),
  "a version that is 32 above": ({ key }) => ({ key: { ...key, version: key.version + 32 } }),
  "the last version that there is": ({ key }) => ({ key: { ...key, version: 2_147_483_647 } }),
  "another key of the same version": ({ key }) => ({ key: { ...key, fingerprint: "A".repeat(43) } }),
  "the next version with a key that nobody has": ({ key }) => ({
    key: { ...key, version: key.version + 1, fingerprint: "A".repeat(43) },
  }),
  "the last place": () => ({ place: 1024 }),
  "an owner's place": () => ({ place: 1 }),
  "something that everybody must understand": () => ({
    extensions: { "org.example.a": 1 },
    critical: ["org.example.a"],
  }),
  "a number that skips one": ({ number }) => ({ number: number + 2 }),
};

for (const isSeen of [true, false])
  test(`B4: whatever a manager writes into a form's key log, once he is removed the owner, who has ${isSeen ? "" : "not "}seen his last version, renews it and rotates, twice, and a page that pins the first entry follows`, (t) =>
    outlive(t, isSeen));

async function outlive(t: TestContext, isSeen: boolean): Promise<void> {
  const world = await createReadingProgram(t);
  const { owner, formId, folder, service } = world;
  const account = await addPerson(service, owner.account, "manager@example.com", { role: "manager" });
  const manager = await createSigner(service, account, owner.account.id);
  const member = toMember(manager, "manager");
  await world.changeList("add", member);
  await world.write([account.id]);
  for (const [name, { key }] of Object.entries({ owner, manager }))
    writeFileSync(join(folder, `${name}.txt`), formatPersonalKey(key), { mode: 0o600 });
  const run = async (...parameters: readonly string[]) => {
    const { code, errors } = await world.runAs(owner.account.token, [...parameters, "--identity", "owner.txt"]);
    assert.equal(code, 0, `${parameters.slice(0, 3)}: ${errors}`);
  };
  const load = async (): Promise<VerifiedKeyLog> => {
    const log = await verifyKeyLog(await owner.client.forms.keyLog(formId), { formId });
    return typeof log === "string" ? assert.fail(log) : log;
  };
  await run("forms", "key-log", "begin", formId);
  const first = await load();
  assert.deepEqual([first.entry.owners, first.entry.managers], [[owner.key.signingKey], [manager.key.signingKey]]);

  // The manager's own honest version comes last but one: what he writes afterwards follows an entry of his.
  const rotated = await world.runAs(account.token, [
    ...["forms", "rotate", formId, "--identity", "manager.txt", "--heads", "heads.json", "--list", world.headText()],
  ]);
  assert.equal(rotated.code, 0, rotated.errors);
  if (isSeen) await run("keys", "readers", "list", "--form", formId);
  const before = await load();
  assert.deepEqual([before.entry.signedBy, before.entry.key.version], [manager.key.signingKey, 2]);

  for (const [name, edit] of Object.entries(attacks)) {
    const entry = await signAsManager(before, edit, manager.key);
    const refused = await manager.client.forms.addKeyLogEntry(formId, entry, before.head).then(
      () => "taken",
      (error: { readonly status?: number }) => error.status,
    );
    assert.ok(refused === 400 || refused === 409, `${name}: ${refused}`);
    const log = new TextEncoder().encode(await textOf(owner.client.forms.keyLog(formId), entry));
    // The next version is a manager's to make: the service refuses it, since it publishes no such key.
    const outcome = await verifyKeyLog(log, { formId });
    if (name !== "the next version with a key that nobody has") assert.equal(typeof outcome, "string", name);
  }
  assert.deepEqual((await load()).head, before.head);

  assert.equal((await owner.account.request("DELETE", `/api/members/${account.id}`)).status, 200);
  await world.changeList("remove", member);
  // Keys that nobody has seen before their writer left are taken from nobody: what was before them comes back.
  if (!isSeen) await run("forms", "bring-back", formId, "--yes");
  // His version is newer than what comes back, and the owner says that it may be lost.
  await run("forms", "rotate", formId, ...(isSeen ? [] : ["--lose-keys"]));
  await run("forms", "key-log", "renew", formId);
  await run("forms", "rotate", formId);
  const after = await load();
  assert.deepEqual([after.entry.owners, after.entry.managers], [[owner.key.signingKey], []]);
  assert.equal(after.entry.key.version, 4);
  const followed = await verifyKeyLog(await owner.client.forms.keyLog(formId), { formId, head: first.head });
  assert.ok(typeof followed !== "string", String(followed));
  assert.deepEqual(followed.entry.key, after.entry.key);

  const late = await signAsManager(after, ({ key }) => ({ key: { ...key, version: 5 } }), manager.key);
  const log = new TextEncoder().encode(await textOf(owner.client.forms.keyLog(formId), late));
  assert.equal(await verifyKeyLog(log, { formId }), "not_signed", "not by the service's help either");
}

async function textOf(log: Promise<Uint8Array>, entry: string): Promise<string> {
  return `${new TextDecoder().decode(await log)}${entry}`;
}

/** Whatever it says: no program of ours writes such an entry. */
async function signAsManager(
  { entry, head }: VerifiedKeyLog,
  edit: Edit,
  { signingKey, signingSeed }: { readonly signingKey: string; readonly signingSeed: string },
): Promise<string> {
  const next = {
    ...entry,
    ...{ number: head.number + 1, place: entry.place + 1, previous: head.hash },
    ...{ writtenAt: formatTime(Date.now()), signedBy: signingKey },
    ...{ ...noExtensions, ...edit(entry, signingKey) },
  };
  return signLine(keyLogFormat, JSON.stringify(next), await importSigningKey(signingSeed));
}
