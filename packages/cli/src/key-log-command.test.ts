import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  createKeyLogEntry,
  formatPersonalKey,
  generatePersonalKey,
  importSigningKey,
  openEnvelope,
  type PersonalKey,
  RefusalError,
} from "@sealpost/envelope";
import { createKeyFile } from "@sealpost/sdk";
import {
  createId,
  deriveReplyKey,
  formatKeyLogHead,
  type KeyPair,
  type LoggedKey,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { plantKeyLogEntry } from "../../server/src/forms/testing/plant-key-log.ts";
import { fetchList } from "../../server/src/organizations/testing/test-member-list.ts";
import { createReadingProgram, pairs } from "./testing/reading-program.ts";
import { seenName } from "./testing/seen-name.ts";

/** An owner whose personal key is in a file, and a form whose keys are in key files. */
async function setUp(t: TestContext) {
  const world = await createReadingProgram(t);
  const { owner, folder, formId } = world;
  const { forms } = owner.client;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const writeKeyFile = async (name: string, { privateKey }: KeyPair) => {
    const label = { formId, formName: "Contact", keyVersion: 1, createdAt: 0 };
    writeFileSync(join(folder, name), JSON.stringify(await createKeyFile({ ...label, privateKey })), { mode: 0o600 });
  };
  await writeKeyFile("own.json", pairs[0]);
  await writeKeyFile("other.json", takeKeyPair());
  const load = async (): Promise<VerifiedKeyLog> => {
    const log = await verifyKeyLog(await forms.keyLog(formId), { formId });
    assert.ok(typeof log !== "string", String(log));
    return log;
  };
  return {
    ...world,
    forms,
    load,
    run: (...parameters: string[]) => world.runAs(owner.account.token, parameters),
    keyLog: (command: string, ...parameters: string[]) =>
      world.runAs(owner.account.token, ["forms", "key-log", command, formId, ...parameters]),
    /** As somebody else does it, who has seen nothing here, in a service that looks at no signers. */
    add: async ({ signingKey, signingSeed }: PersonalKey, key: LoggedKey, before?: VerifiedKeyLog) => {
      const signer = { publicKey: signingKey, signingKey: await importSigningKey(signingSeed) };
      const entry = await createKeyLogEntry(before, { formId, key, owners: [signingKey], managers: [] }, signer);
      await plantKeyLogEntry(world.service.database, formId, entry);
    },
  };
}

const withKey = ["--identity", "key.txt"];

test("a key log is begun for a key that one has, shown as it was checked, continued by a rotation with key files, and renewed", async (t) => {
  const { owner, forms, formId, folder, run, keyLog, load } = await setUp(t);
  const none = await keyLog("show");
  assert.deepEqual([none.code, none.output], [4, ""]);
  assert.equal((await keyLog("renew", ...withKey)).code, 4);
  for (const files of [[], ["--key", "other.json"]]) {
    const refused = await keyLog("begin", ...withKey, ...files);
    assert.deepEqual([refused.code, refused.output], [2, ""]);
    assert.match(refused.errors, /newest key is in no key file/);
  }
  await assert.rejects(forms.keyLog(formId), /no key log/, "nothing was sent");

  const begun = await keyLog("begin", ...withKey, "--key", "own.json");
  assert.equal(begun.code, 0, begun.errors);
  const first = await load();
  assert.equal(begun.output, `${formatKeyLogHead(first.head)}\n`);
  assert.ok(begun.errors.includes(`keyLog: "${formatKeyLogHead(first.head)}"`), begun.errors);
  assert.deepEqual([first.head.number, first.entry.owners], [1, [owner.key.signingKey]]);
  const twice = await keyLog("begin", ...withKey, "--key", "own.json");
  assert.deepEqual([twice.code, twice.output], [2, ""]);

  const rotated = await run("forms", "rotate", formId, ...withKey, "--key-file", "second.json", "--hybrid");
  assert.equal(rotated.code, 0, rotated.errors);
  assert.deepEqual([rotated.output, readdirSync(folder).includes("second.json")], ["2\n", true]);
  assert.match(rotated.errors, /pages that pin the log need nothing new/);
  assert.doesNotMatch(rotated.errors, /needs \{"keyFingerprint"/);
  const second = await load();
  const newest = (await forms.keys(formId)).find(({ version }) => version === 2);
  assert.ok(newest);
  const { fingerprint, hybridFingerprint = "" } = newest;
  assert.notEqual(hybridFingerprint, "");
  const { seed, ...file } = JSON.parse(readFileSync(join(folder, "second.json"), "utf8"));
  const { replyKey } = await deriveReplyKey(seed, { formId, version: 2 });
  assert.deepEqual(second.entry.key, { version: 2, fingerprint, hybridFingerprint, replyKey });
  assert.equal(file.fingerprint, fingerprint);

  const shown = await keyLog("show", ...withKey);
  assert.equal(shown.code, 0, shown.errors);
  assert.ok(shown.output.startsWith(`${formatKeyLogHead(second.head)}\n`), shown.output);
  assert.match(shown.output, new RegExp(`${owner.key.signingKey}\\s+[^–\\s]`), "the name of the list");
  const json = await keyLog("show", "--json");
  assert.deepEqual(JSON.parse(json.output).key, second.entry.key);

  const renewed = await keyLog("renew", ...withKey);
  const third = await load();
  assert.equal(renewed.output, `${formatKeyLogHead(third.head)}\n`, renewed.errors);
  assert.deepEqual([third.head.number, third.entry.key], [3, second.entry.key]);
});

test("a form with an envelope begins its key log without a key file, and the envelope names it", async (t) => {
  const { write, folder, formId, keyLog, load } = await setUp(t);
  await write([]);
  const begun = await keyLog("begin", ...withKey);
  assert.equal(begun.code, 0, begun.errors);
  const { head } = await load();
  assert.equal(begun.output, `${formatKeyLogHead(head)}\n`);
  const { heads } = JSON.parse(readFileSync(join(folder, "config/sealpost/personal.heads.json"), "utf8"));
  const [envelope] = heads[seenName(heads, `form ${formId}`)].heads;
  assert.deepEqual([envelope.revision, envelope.keyLog], [2, head], "a manager's rotation follows it");
});

test("giving a log up writes into the form's envelope that it has none; without the personal key it is said who ends that the envelope names it", async (t) => {
  const { write, owner, formId, keyLog } = await setUp(t);
  await write([]);
  const readNewest = async () => {
    const { file, revision } = (await owner.client.envelopes.getNewest(formId, 1)) ?? assert.fail();
    const expected = { list: await fetchList(owner), formId, firstVersion: 1, revision };
    const opened = await openEnvelope(file, owner.key.identity, expected);
    assert.ok(!(opened instanceof RefusalError), String(opened));
    return opened.head;
  };
  assert.equal((await keyLog("begin", ...withKey)).code, 0);
  assert.equal((await readNewest()).keyLog?.number, 1);
  const givenUp = await keyLog("give-up", "--yes", ...withKey);
  assert.deepEqual([givenUp.code, givenUp.output], [0, `${formId}\n`], givenUp.errors);
  assert.doesNotMatch(givenUp.errors, /may still name it/);
  assert.deepEqual([(await readNewest()).revision, (await readNewest()).keyLog], [3, null]);

  assert.equal((await keyLog("begin", ...withKey)).code, 0);
  const without = await keyLog("give-up", "--yes", "--unsigned-name");
  assert.equal(without.code, 0, without.errors);
  assert.match(without.errors, /envelope may still name it\. An owner who rotates the form ends that/);
  assert.notEqual((await readNewest()).keyLog, null);
  assert.equal((await keyLog("give-up", "--yes", ...withKey)).code, 0, "what was left is finished");
  assert.equal((await readNewest()).keyLog, null);
  assert.equal((await keyLog("give-up", "--yes", ...withKey)).code, 4);
});

test("a log that begins with a key of the form's envelope names the reply key of its seed, whose seed no file has", async (t) => {
  const { owner, formId, keyLog, load, write } = await setUp(t);
  await write([]);
  const begun = await keyLog("begin", ...withKey);
  assert.equal(begun.code, 0, begun.errors);
  const { file, revision } = (await owner.client.envelopes.getNewest(formId, 1)) ?? assert.fail();
  const list = await fetchList(owner);
  const expected = { list, formId, firstVersion: 1, revision };
  const opened = await openEnvelope(file, owner.key.identity, expected);
  assert.ok(!(opened instanceof RefusalError));
  const [{ seed, version } = assert.fail()] = opened.content.keys;
  assert.equal((await load()).entry.key.replyKey, (await deriveReplyKey(seed, { formId, version })).replyKey);
});

test("no entry is signed for a key version that the server made up, and no key file is written", async (t) => {
  const { formId, folder, run, keyLog, load } = await setUp(t);
  assert.equal((await keyLog("begin", ...withKey, "--key", "own.json")).code, 0);
  const { fetch } = globalThis;
  t.mock.method(globalThis, "fetch", async (input: string, init?: RequestInit) => {
    const answer = await fetch(input, init);
    if (!String(input).endsWith(`${formId}/keys`)) return answer;
    const { keys } = await answer.json();
    return Response.json({ keys: [...keys, { ...keys[0], version: 5_000_000 }] });
  });
  const refused = await run("forms", "rotate", formId, ...withKey, "--key-file", "second.json");
  assert.deepEqual([refused.code, refused.output], [1, ""]);
  assert.match(refused.errors, /names key version 5000000 for this form/);
  assert.ok(!readdirSync(folder).includes("second.json"));
  assert.equal((await load()).head.number, 1);
});

test("a log that does not name one's key is not signed, and its form not rotated: no key file stays", async (t) => {
  const { add, forms, formId, folder, run, keyLog } = await setUp(t);
  const [published] = await forms.keys(formId);
  assert.ok(published);
  const key = { version: 1, fingerprint: published.fingerprint, hybridFingerprint: null, replyKey: null };
  await add(await generatePersonalKey(), key);
  const rotated = await run("forms", "rotate", formId, ...withKey, "--key-file", "second.json");
  assert.deepEqual([rotated.code, rotated.output], [3, ""]);
  assert.match(rotated.errors, /does not let you sign/);
  assert.ok(!readdirSync(folder).includes("second.json"));
  assert.equal((await forms.keys(formId)).length, 1);
  assert.equal((await keyLog("renew", ...withKey)).code, 3);
});

test("the pin is printed where all who may sign have the role of the list and no owner is missing; else the signers are shown without it, unless that is wanted", async (t) => {
  const { add, forms, formId, owner, keyLog, load } = await setUp(t);
  assert.equal((await keyLog("begin", ...withKey, "--key", "own.json")).code, 0);
  const pin = formatKeyLogHead((await load()).head);
  const own = await keyLog("show", ...withKey);
  assert.deepEqual([own.code, own.output.startsWith(`${pin}\n`)], [0, true], own.errors);
  assert.match(own.output, /owner \(you\)/);
  // Nothing says whose the signers are where the list is not looked at.
  const unseen = await keyLog("show", "--json");
  const { keyLog: hidden, strangers } = JSON.parse(unseen.output);
  assert.deepEqual([unseen.code, hidden, strangers], [9, null, [owner.key.signingKey]]);
  assert.match(unseen.errors, /No pin is printed: .* add --identity/);

  await forms.removeKeyLog(formId);
  await keyLog("forget");
  const [{ version, fingerprint } = assert.fail()] = await forms.keys(formId);
  const stranger = await generatePersonalKey();
  await add(stranger, { version, fingerprint, hybridFingerprint: null, replyKey: null });
  const planted = formatKeyLogHead((await load()).head);
  const shown = await keyLog("show", ...withKey);
  assert.deepEqual([shown.code, shown.output.includes(planted)], [9, false]);
  assert.ok(shown.output.includes(stranger.signingKey));
  assert.match(shown.errors, /not that of somebody who has this role in the list of members/);
  const unheld = await keyLog("show", ...withKey, "--any-signer");
  assert.deepEqual([unheld.code, unheld.output.includes(planted)], [9, false]);
  assert.match(unheld.errors, /No pin is printed: the newest key of this log is in no key file/);
  const wanted = await keyLog("show", ...withKey, "--any-signer", "--key", "own.json");
  assert.deepEqual([wanted.code, wanted.output.startsWith(`${planted}\n`)], [0, true], wanted.errors);
});

test("a log is not signed for the owners and managers of another organization than the one in which the form was seen", async (t) => {
  const { formId, folder, keyLog, load } = await setUp(t);
  assert.equal((await keyLog("begin", ...withKey, "--key", "own.json")).code, 0);
  const path = join(folder, "config/sealpost/personal.heads.json");
  const seen = JSON.parse(readFileSync(path, "utf8"));
  seen.heads[seenName(seen.heads, `organization of ${formId}`)] = createId("account");
  writeFileSync(path, JSON.stringify(seen), { mode: 0o600 });
  for (const command of ["show", "renew"]) {
    const refused = await keyLog(command, ...withKey);
    assert.deepEqual([refused.code, refused.output], [9, ""]);
    assert.match(refused.errors, /seen in another organization before/);
  }
  assert.equal((await load()).head.number, 1);
});

test("a log that somebody else gave up is refused until that is accepted, and one's own giving up is asked for and accepted at once", async (t) => {
  const { owner, add, forms, formId, run, keyLog, load } = await setUp(t);
  assert.equal((await keyLog("begin", ...withKey, "--key", "own.json")).code, 0);
  const { entry } = await load();
  await forms.removeKeyLog(formId);
  const refusals = async (sentence: RegExp) => {
    for (const command of [["show"], ["renew", ...withKey], ["begin", ...withKey, "--key", "own.json"]]) {
      const [name = "", ...parameters] = command;
      const refused = await keyLog(name, ...parameters);
      assert.deepEqual([refused.code, refused.output], [9, ""], name);
      assert.match(refused.errors, /key-log forget|key-log show/);
    }
    assert.match((await keyLog("show")).errors, sentence);
    assert.equal((await run("forms", "rotate", formId, ...withKey)).code, 9);
  };
  await refusals(/shows no key log/);
  await add(await generatePersonalKey(), entry.key);
  await refusals(/another key log/);
  await forms.removeKeyLog(formId);

  assert.match((await keyLog("forget")).errors, /forgotten 1-/);
  assert.match((await keyLog("forget")).errors, /nothing was remembered/);
  assert.equal((await keyLog("show")).code, 4);
  assert.equal((await keyLog("begin", ...withKey, "--key", "own.json")).code, 0);

  const unsure = await keyLog("give-up");
  assert.deepEqual([unsure.code, unsure.errors.includes("Add --yes to give up")], [2, true]);
  assert.deepEqual((await load()).entry.owners, [owner.key.signingKey], "nothing was changed");
  const sure = await keyLog("give-up", "--yes");
  assert.deepEqual([sure.code, sure.output], [0, `${formId}\n`], sure.errors);
  assert.equal((await keyLog("show")).code, 4, "one's own giving up needs no forgetting");
});
