import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  generatePersonalKey,
  generateSheet,
  type PersonalKey,
  type PublicHalves,
  sealKeyCopy,
} from "@sealpost/envelope";
import { type KeyWorker, readAnswer } from "./key-worker.ts";
import { type PlayedWorker, playWorker } from "./testing/play-worker.ts";
import { type PersonWithKey, unlock } from "./unlock.ts";

const personId = "acc_1";
const halvesOf = ({ recipient, signingKey }: PublicHalves): PublicHalves => ({ recipient, signingKey });

/** A browser that has seen `seen` as the person's key, and a server that gives these files. */
function playPage(t: TestContext, files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>, seen?: PublicHalves) {
  const state = { seen, held: undefined as PublicHalves | undefined, workers: [] as PlayedWorker[] };
  return {
    state,
    page: {
      seenKeys: {
        findPublicHalves: async () => state.seen,
        rememberPublicHalves: async (_personId: string, halves: PublicHalves) => {
          state.seen = halves;
        },
      },
      loadFile: async (id: string) => files[id] ?? new Uint8Array(),
      startWorker: (): KeyWorker => {
        const played = playWorker(t);
        state.workers.push(played);
        return played.worker;
      },
      hold: async (_worker: KeyWorker, halves: PublicHalves) => {
        state.held = halves;
      },
    },
  };
}

async function sealFor(key: PersonalKey) {
  const { identity, recipient } = await generateSheet("personal");
  return { identity, file: await sealKeyCopy(key, { recipient }) };
}

const personOf = (named: PublicHalves, rest: Partial<PersonWithKey> = {}): PersonWithKey => ({
  ...{ personId, named: halvesOf(named), formerKeys: [], isNamedAccepted: false },
  ...rest,
});

test("the first copy that a secret opens unlocks the key, which is then held and remembered", async (t) => {
  const key = await generatePersonalKey();
  const [one, other] = await Promise.all([sealFor(key), sealFor(key)]);
  const { page, state } = playPage(t, { one: one.file, other: other.file });
  const copies = [{ id: "gone" }, { id: "one" }, { id: "other" }];
  assert.deepEqual(await unlock(copies, [{ identity: other.identity }], personOf(key), page), halvesOf(key));
  assert.deepEqual([state.held, state.seen], [halvesOf(key), halvesOf(key)]);
  assert.equal(state.workers[0]?.isEnded(), false);
});

test("a browser that has seen a key opens no other in its place, unless the person accepts it", async (t) => {
  const [own, strange] = await Promise.all([generatePersonalKey(), generatePersonalKey()]);
  const { identity, file } = await sealFor(strange);
  const { page, state } = playPage(t, { one: file }, halvesOf(own));
  const unlocking = (isNamedAccepted: boolean) =>
    unlock([{ id: "one" }], [{ identity }], personOf(strange, { isNamedAccepted }), page);
  await assert.rejects(unlocking(false), { reason: "other_key" });
  assert.deepEqual([state.held, state.seen], [undefined, halvesOf(own)]);
  assert.ok(state.workers[0]?.isEnded());
  assert.deepEqual(await unlocking(true), halvesOf(strange));
  assert.deepEqual([state.held, state.seen], [halvesOf(strange), halvesOf(strange)]);
});

test("where several copies are refused, the reason that says more than a wrong secret is given, and the worker ends", async (t) => {
  const [own, strange] = await Promise.all([generatePersonalKey(), generatePersonalKey()]);
  const [right, other] = await Promise.all([sealFor(own), sealFor(strange)]);
  const { page, state } = playPage(t, { right: right.file, other: other.file });
  const copies = [{ id: "other" }, { id: "right" }];
  await assert.rejects(unlock(copies, [{ identity: other.identity }], personOf(own), page), { reason: "other_key" });
  const { identity } = await generateSheet("personal");
  await assert.rejects(unlock(copies, [{ identity }], personOf(own), page), { reason: "wrong_secret" });
  assert.ok(state.workers.every(({ isEnded }) => isEnded()));
  assert.equal(state.held, undefined);
});

test("the keys that an unlocked one has replaced come along, as far as it, or one of them, opens them", async (t) => {
  const [key, former, oldest, stranger] = await Promise.all([
    generatePersonalKey(),
    generatePersonalKey(),
    generatePersonalKey(),
    generatePersonalKey(),
  ]);
  const copy = await sealFor(key);
  const files = {
    copy: copy.file,
    former: await sealKeyCopy(former, { recipient: key.recipient }),
    oldest: await sealKeyCopy(oldest, { recipient: former.recipient }),
    broken: new Uint8Array([1, 2, 3]),
  };
  const { page, state } = playPage(t, files);
  const formerKeys = [
    { ...halvesOf(stranger), copyId: null },
    { ...halvesOf(stranger), copyId: "broken" },
    { ...halvesOf(oldest), copyId: "oldest" },
    { ...halvesOf(former), copyId: "former" },
  ];
  await unlock([{ id: "copy" }], [{ identity: copy.identity }], personOf(key, { formerKeys }), page);
  const [played] = state.workers;
  assert.ok(played !== undefined);
  const asked = played.messages.flatMap((message) =>
    message.kind === "request" && message.request.act === "operate" ? [message.request.request] : [],
  );
  assert.ok(asked.length >= 3);
  // They are there: adopting one again without its file is no refusal.
  const again = { act: "operate", name: "adoptFormer", request: { file: new Uint8Array(), halves: halvesOf(former) } };
  for (const one of [former, oldest]) {
    const asking = { ...again, request: { ...again.request, halves: halvesOf(one) } };
    assert.equal(readAnswer(await played.worker.ask(asking as never)), "adopted");
  }
  const missing = { ...again, request: { file: new Uint8Array(), halves: halvesOf(stranger) } };
  assert.equal((await played.worker.ask(missing as never)).outcome, "refused");
});
