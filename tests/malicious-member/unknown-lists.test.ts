import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  continueKeyLog,
  type FormKey,
  followKeyLog,
  type HeadStore,
  sealEnvelope,
  toLoggedKey,
} from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { createId, createVersionSeed, verifyKeyLog } from "@sealpost/wire";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { newFormKey, openBrowser, organizationId, type PlayedPerson, toSigner } from "../dashboard/played-envelopes.ts";
import { type Actor, type AgentName, agentsOf, openActor } from "../support/envelope-actors.ts";
import { handOver, openRevision, setUp, type Team, write } from "../support/played-team.ts";
import { sampleKinds } from "../support/sample.ts";

// Mo, who may write and has no key of the form, stores its next revision by the number and hash of the one before, with a key of his own alone. Ada opens the form on
// a new device. The service does not say which keys the form has, or denies those that Mo lacks.

let own: Awaited<ReturnType<typeof newFormKey>>;
let planted: Awaited<ReturnType<typeof newFormKey>>;
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [own, planted, rotated] = await Promise.all([newFormKey(1), newFormKey(2), newFormKey(3)]);
});

/** How the service says nothing of the versions of the envelope. */
const answers = {
  "answers 403": () => Promise.reject(new ApiError("No", { status: 403, code: "forbidden" })),
  "lists no key": async () => [],
  "lists the keys of another envelope alone": async () => [{ version: 33, fingerprint: "A".repeat(43) }],
} as const;
const acts = ["a rotation", "a sweep", "adding a reader", "another name"] as const;

const unknown = Object.keys(answers).flatMap((answer) => acts.map((act) => ({ answer, act })) as readonly Unknown[]);
interface Unknown {
  readonly answer: keyof typeof answers;
  readonly act: (typeof acts)[number];
}

for (const [index, one] of sampleKinds(unknown, ({ answer }) => answer).entries())
  for (const agent of agentsOf(index))
    test(`a revision without the form's keys, which a device sees for the first time while the service ${one.answer}, is read and followed by nothing, then or later, by ${one.act} neither, with the key in ${agent}`, () =>
      meetUnknown(one, agent));

async function meetUnknown({ answer, act }: Unknown, agent: AgentName): Promise<void> {
  const team = await setUp("without");
  const { server, formId, people, see } = team;
  const { ada, mo } = people;
  await plant(team, mo, [{ ...own.key, seed: createVersionSeed() }]);
  const store = await see();
  const actor = await openActor(agent, server, ada, planted, store);
  const revisions = () => server.envelopes.get(1)?.length ?? 0;
  const shown = revisions();
  const heads = async (of: HeadStore) =>
    (await createHeads(of).findEnvelopes(formId)).heads.map(({ revision }) => revision);

  server.lies = { fetchKeys: answers[answer] as never };
  assert.deepEqual((await actor.open(formId)).refused, [], "an outage shuts nobody out of reading");
  const page = await openForm(openBrowser(server, ada, createHeads(store)), formId);
  assert.deepEqual(page.kind === "opened" && page.unproved, [1], "its key proves nothing");
  await refuse(() => work(actor, team, act));
  assert.deepEqual([await heads(store), revisions()], [[], shown]);
  const handed = await handOver(store, await see(), ada, formId);
  // An older one is noticed all the same.
  const last = server.envelopes.get(1)?.pop() ?? assert.fail();
  assert.deepEqual((await actor.open(formId)).refused, ["old_revision"]);
  server.envelopes.get(1)?.push(last);

  server.lies = {};
  for (const device of [actor, await openActor(agent, server, ada, planted, handed)]) {
    assert.deepEqual((await device.open(formId)).refused, ["key_missing"]);
    await refuse(() => work(device, team, act));
  }
  assert.deepEqual([await heads(store), await heads(handed), revisions()], [[], [], shown]);
  assert.equal(await actor.bringBack(formId), "brought");
  const opened = await actor.open(formId);
  assert.deepEqual([[...opened.keys.keys()], opened.refused, await heads(store)], [[1], [], [shown + 1]]);
  assert.equal(
    await work(actor, team, act),
    act === "a rotation" ? "rotated" : act === "a sweep" ? "unchanged" : "changed",
  );
}

for (const [index, answer] of (Object.keys(answers) as (keyof typeof answers)[]).entries())
  for (const agent of agentsOf(index))
    test(`a form that is opened for the first time while the service ${answer} is the form as ever once it lists its keys, with the key in ${agent}`, async () => {
      const { server, formId, people, see } = await setUp("without");
      const store = await see();
      const actor = await openActor(agent, server, people.ada, planted, store);
      server.lies = { fetchKeys: answers[answer] as never };
      for (const _ of "12") assert.deepEqual((await actor.open(formId)).refused, []);
      await refuse(() => actor.rotate(formId));
      server.lies = {};
      const opened = await actor.open(formId);
      assert.deepEqual([[...opened.keys.keys()], opened.refused], [[1], []]);
      assert.equal(await actor.rotate(formId), "rotated");
      // The form head stays, whatever the service answers.
      server.lies = { fetchKeys: answers[answer] as never };
      server.envelopes.get(1)?.pop();
      assert.deepEqual((await actor.open(formId)).refused, ["old_revision"]);
    });

const denials = [true, false].flatMap((isListed) => acts.map((act) => ({ isListed, act })));
for (const [index, { isListed, act }] of sampleKinds(denials, (one) => one.isListed).entries())
  for (const agent of agentsOf(index))
    test(`a revision that names an entry of the form's key log, and lacks a key of that log which the service ${isListed ? "lists" : "denies"}, is followed by nothing where a device sees it for the first time, by ${act} neither, with the key in ${agent}`, async () => {
      const team = await setUp("with a key log");
      const { server, formId, people, see } = team;
      const [first = assert.fail()] = server.keys;
      // A signer of the log makes the next version.
      const key = { ...planted.key, seed: createVersionSeed() };
      const log = new TextEncoder().encode(server.keyLogs.get(formId));
      const logged = await toLoggedKey(formId, key);
      const text = `${server.keyLogs.get(formId)}${await continueKeyLog(log, { formId, key: logged }, [people.mo.key])}`;
      const verified = await verifyKeyLog(new TextEncoder().encode(text), { formId });
      assert.ok(typeof verified !== "string", String(verified));
      server.keyLogs.set(formId, text);
      server.keys.push({ version: 2, fingerprint: key.fingerprint });
      await plant(team, people.mo, [key], verified.head);
      const shown = server.envelopes.get(1)?.length ?? 0;
      if (!isListed) server.keys.shift();
      const store = await see();
      const actor = await openActor(agent, server, people.ada, rotated, store);
      const opened = await actor.open(formId);
      assert.deepEqual([[...opened.keys.keys()], opened.refused], [[2], ["key_missing"]]);
      await refuse(() => work(actor, team, act));
      assert.deepEqual((await createHeads(store).findEnvelopes(formId)).heads, []);
      assert.equal(server.envelopes.get(1)?.length, shown);
      // The key that the log names is carried on, though the service denies it; the client says that it does.
      assert.equal(await actor.bringBack(formId), isListed ? "brought" : "other_published_key");
      const { opened: brought } = await openRevision(team, shown + 1);
      assert.deepEqual(
        brought.content.keys.map(({ version }) => version),
        [1, 2],
      );
      if (!isListed) server.keys.unshift(first);
      const after = await actor.open(formId);
      assert.deepEqual([[...after.keys.keys()], after.refused], [[1, 2], []]);
    });

/** The next revision, by its number and hash: with these keys alone, for Ada and its writer. */
async function plant(
  { server, formId, people, load }: Team,
  by: PlayedPerson,
  keys: readonly FormKey[],
  keyLog: { readonly number: number; readonly hash: string } | null = null,
): Promise<void> {
  const revisions = server.envelopes.get(1) ?? assert.fail();
  const digest = await crypto.subtle.digest("SHA-256", revisions.at(-1) ?? assert.fail());
  const after = { revision: revisions.length, hash: Buffer.from(digest).toString("base64url") };
  const { list } = await load();
  const readerIds = [people.ada.id, by.id];
  const parts = { list, signer: await toSigner(by), standing: { own: by.key }, formId, readerIds, keys, after, keyLog };
  revisions.push((await sealEnvelope({ ...parts, formName: "Vote", firstVersion: 1 })).file);
}

function work(actor: Actor, { formId, people }: Team, act: Unknown["act"]): Promise<string> {
  return {
    "a rotation": () => actor.rotate(formId),
    "a sweep": () => actor.changeReaders(formId, { add: [], remove: [] }),
    "adding a reader": () => actor.changeReaders(formId, { add: [people.rea.id], remove: [] }),
    "another name": () => actor.changeReaders(formId, { add: [], remove: [], formName: "Votes" }),
  }[act]();
}

/** Nothing is written: by a refusal, or since nothing is there to follow. */
async function refuse(act: () => Promise<string>): Promise<void> {
  const outcome = await act().catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return error.code;
  });
  assert.ok(!["rotated", "changed"].includes(outcome), outcome);
}

for (const [index, answer] of (Object.keys(answers) as (keyof typeof answers)[]).entries())
  for (const agent of agentsOf(index))
    test(`of a form that is opened for the first time while the service ${answer}, neither organization nor key log is remembered, and that it is seen for the first time afterwards is said until the person knows, with the key in ${agent}`, async () => {
      const team = await setUp("with a key log");
      const { server, formId, people, see } = team;
      const store = await see();
      const heads = createHeads(store);
      const actor = await openActor(agent, server, people.ada, planted, store);
      const page = openBrowser(server, people.ada, heads);
      const revisions = server.envelopes.get(1) ?? assert.fail();
      server.lies = { fetchKeys: answers[answer] as never };
      // By a manager, since an owner's is not kept apart.
      await write(team, people.nia);
      const showLog = () => followKeyLog({ formId, heads, fetchKeyLog: () => page.api.fetchKeyLog(formId) });
      const seenAgain = async () => {
        const opened = await openForm(page, formId);
        return opened.kind === "opened" ? opened.seenAgain : assert.fail(opened.kind);
      };
      assert.deepEqual((await actor.open(formId)).refused, []);
      assert.equal((await showLog()).kind, "checked");
      assert.deepEqual(await seenAgain(), []);
      assert.equal(await heads.isApart(formId), true);
      assert.equal(await heads.findKeyLog(formId), undefined);
      for (const organization of [organizationId, createId("account")])
        assert.equal(await heads.isFormOf(formId, organization), true, "it may be shown in any");
      // The newest one disappears: nothing says so any longer, and the person is shown that this is the first sight.
      revisions.pop();
      server.lies = {};
      assert.deepEqual((await actor.open(formId)).refused, []);
      for (const _ of "12") assert.deepEqual(await seenAgain(), [1]);
      await heads.noteKnown(formId);
      assert.deepEqual(await seenAgain(), []);
      assert.equal((await showLog()).kind, "checked");
      assert.notEqual(await heads.findKeyLog(formId), undefined);
      assert.equal(await heads.isFormOf(formId, createId("account")), false);
    });
