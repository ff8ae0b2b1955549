import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  createListEntry,
  generatePersonalKey,
  generateSheet,
  type PersonalKey,
  type PublicHalves,
  sealKeyCopy,
} from "@sealpost/envelope";
import { encodeBase64Url, type FormId, verifyKeyLog } from "@sealpost/wire";
import { fetchList } from "../../server/src/organizations/testing/test-member-list.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

test("an owner whose key was replaced twice opens a form with a former key, rotates it and continues its key log, which names the new key then", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder } = world;
  const { client, account, key: first, signer } = owner;
  const [second, third] = [await generatePersonalKey(), await generatePersonalKey()];
  const halvesOf = ({ recipient, signingKey }: PublicHalves) => ({ recipient, signingKey });
  const copiesOf = async (key: PersonalKey, { recipient }: { readonly recipient: string }) => {
    const file = encodeBase64Url(await sealKeyCopy(key, { recipient }));
    return [{ way: "sheet" as const, name: "Sheet", file }];
  };
  const run = (...parameters: readonly string[]) => world.runAs(account.token, parameters);
  const withSheet = (file: string, { lines }: { readonly lines: readonly string[] }) => {
    writeFileSync(join(folder, file), `${lines.join("\n")}\n`);
    return ["--sheet-file", file];
  };
  const sheet = () => generateSheet("personal");
  const [firstSheet, secondSheet, thirdSheet] = [await sheet(), await sheet(), await sheet()];
  await client.personalKey.create({ ...halvesOf(first), copies: await copiesOf(first, firstSheet) });
  const created = await run("forms", "create", "Press", "--envelope", ...withSheet("first.txt", firstSheet));
  assert.equal(created.code, 0, created.errors);
  const formId = created.output.trim() as FormId;

  const replace = async (before: PersonalKey, next: PersonalKey, its: typeof firstSheet) => {
    const formerCopy = encodeBase64Url(await sealKeyCopy(before, { recipient: next.recipient }));
    const copies = await copiesOf(next, its);
    await client.personalKey.replace({ ...halvesOf(next), copies, replaces: before.signingKey, formerCopy });
  };
  await replace(first, second, secondSheet);
  await replace(second, third, thirdSheet);
  // The list has the newest, signed over by the first; the form's envelope and its key log have not.
  const list = await fetchList(owner);
  const member = { ...(list.members.get(account.id) ?? assert.fail()), ...halvesOf(third) };
  const entry = await createListEntry(list, owner.organizationId, { change: "replace", member }, signer);
  await client.memberList.add(entry, list.head);

  const rotated = await run("forms", "rotate", formId, ...withSheet("third.txt", thirdSheet));
  assert.equal(rotated.code, 0, rotated.errors);
  const log = await verifyKeyLog(await client.forms.keyLog(formId), { formId });
  assert.ok(typeof log !== "string", String(log));
  const { version } = log.entry.key;
  assert.deepEqual([version, log.entry.signedBy, log.entry.owners], [2, first.signingKey, [third.signingKey]]);
  const again = await run("forms", "rotate", formId, ...withSheet("third.txt", thirdSheet));
  assert.equal(again.code, 0, again.errors);
});
