import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey, openEnvelope, RefusalError } from "@sealpost/envelope";
import { verifyKeyLog } from "@sealpost/wire";
import { createReadingProgram } from "../../packages/cli/src/testing/reading-program.ts";
import { createSigner, fetchList, toMember } from "../../packages/server/src/organizations/testing/test-member-list.ts";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { isWhole } from "../support/sample.ts";

// Row B11 of the findings on 6a710908, shown by race.test.ts: a race on a form with a key log said "not reached: not_allowed", as if somebody had done something
// that they may not.

const rounds = isWhole ? 6 : 2;

test("B11: of an owner and a manager who rotate a form with a key log and change its readers at once, one is served, the others read that somebody was first, and no key is lost", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, formId, folder, service } = world;
  const account = await addPerson(service, owner.account, "manager@example.com", { role: "manager" });
  const manager = await createSigner(service, account, owner.account.id);
  await world.changeList("add", toMember(manager, "manager"));
  await world.changeList("add");
  await world.write([account.id]);
  for (const [name, { key }] of Object.entries({ owner, manager }))
    writeFileSync(join(folder, `${name}.txt`), formatPersonalKey(key), { mode: 0o600 });
  const list = world.headText();
  const asOwner = (...words: readonly string[]) =>
    world.runAs(owner.account.token, [...words, "--identity", "owner.txt", "--heads", "owner.json"]);
  const asManager = (...words: readonly string[]) =>
    world.runAs(account.token, [...words, "--identity", "manager.txt", "--heads", "manager.json", "--list", list]);
  const begun = await asOwner("forms", "key-log", "begin", formId, "--list", list);
  assert.equal(begun.code, 0, begun.errors);
  const versionNow = async () => Math.max(...(await owner.client.forms.keys(formId)).map(({ version }) => version));

  const refusals: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await versionNow();
    const change = round % 2 === 0 ? "add" : "remove";
    const all = await Promise.all([
      asOwner("forms", "rotate", formId),
      asManager("forms", "rotate", formId),
      asManager("keys", "readers", change, world.member.id, "--form", formId),
    ]);
    for (const { code, errors } of all)
      if (code !== 0) {
        assert.equal(code, 5, errors);
        refusals.push(errors);
      }
    assert.ok(
      all.some(({ code }) => code === 0),
      "one of the three was served",
    );
    const hasRotated = all.slice(0, 2).some(({ code }) => code === 0);
    assert.equal((await versionNow()) > before, hasRotated);
  }
  for (const said of refusals) assert.doesNotMatch(said, /not_allowed|may not|not allowed/, said);

  const published = await owner.client.forms.keys(formId);
  const log = await verifyKeyLog(await owner.client.forms.keyLog(formId), { formId });
  assert.ok(typeof log !== "string", String(log));
  assert.equal(log.entry.key.version, await versionNow());
  const { file, revision } = (await owner.client.envelopes.getNewest(formId, 1)) ?? assert.fail();
  const expected = { list: await fetchList(owner), formId, firstVersion: 1, revision };
  const opened = await openEnvelope(file, owner.key.identity, expected);
  assert.ok(!(opened instanceof RefusalError), String(opened));
  const held = opened.content.keys.map(({ version, fingerprint }) => `${version} ${fingerprint}`);
  assert.deepEqual(held.sort(), published.map(({ version, fingerprint }) => `${version} ${fingerprint}`).sort());
  for (const run of [asOwner, asManager]) {
    const { code, errors } = await run("forms", "rotate", formId);
    assert.equal(code, 0, errors);
  }
});
