import assert from "node:assert/strict";
import { afterEach, describe, mock, test } from "node:test";
import {
  generatePersonalKey,
  generateSheet,
  openKeyCopy,
  type PublicHalves,
  RefusalError,
  sealKeyCopy,
} from "@sealpost/envelope";
import { copyOperations } from "./copy-operations.ts";
import { createKeyServer, type KeyAnswer, type KeyRequest } from "./key-server.ts";
import { createKeyTab, type KeyTab } from "./key-tab.ts";
import { KeyLockedError, type KeyWorker, makeKey, openCopy, readAnswer } from "./key-worker.ts";
import type { AskPasskey, PasskeySecrets } from "./passkey-prf.ts";

/** The same as in a worker, on the test's own thread. */
function startKeyWorker(): KeyWorker & { readonly isEnded: boolean } {
  const serve = createKeyServer(copyOperations);
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => undefined);
  let isEnded = false;
  return {
    ask: (request: KeyRequest, askPasskey = () => Promise.reject(new Error("no passkey"))) =>
      Promise.race([serve(request, askPasskey), over]),
    end() {
      isEnded = true;
      reject(new KeyLockedError());
    },
    get isEnded() {
      return isEnded;
    },
  };
}

describe("the personal key in the tabs of a browser", () => {
  const tabs: KeyTab[] = [];
  const openTab = (minutes = 15) => {
    const tab = createKeyTab({ findMinutes: () => minutes });
    tabs.push(tab);
    return tab;
  };
  afterEach(() => {
    for (const tab of tabs.splice(0)) tab.close();
  });

  const until = (tab: KeyTab, kind: KeyTab["state"]["kind"]) =>
    new Promise<void>((resolve) => {
      if (tab.state.kind === kind) return resolve();
      const stop = tab.subscribe(() => {
        if (tab.state.kind !== kind) return;
        stop();
        resolve();
      });
    });

  const untilSoon = (tab: KeyTab, locksSoon: boolean) =>
    new Promise<void>((resolve) => {
      if (tab.locksSoon === locksSoon) return resolve();
      const stop = tab.subscribe(() => {
        if (tab.locksSoon !== locksSoon) return;
        stop();
        resolve();
      });
    });

  async function holdNewKey(tab: KeyTab): Promise<{ worker: ReturnType<typeof startKeyWorker>; halves: PublicHalves }> {
    const worker = startKeyWorker();
    const halves = await makeKey(worker);
    await tab.hold(worker, halves);
    return { worker, halves };
  }

  /** Seals a copy for a fresh sheet: what opens it has the key. */
  async function sealForSheet(tab: KeyTab): Promise<{ identity: string; file: Uint8Array<ArrayBuffer> }> {
    const { identity, recipient } = await generateSheet("personal");
    const request: KeyRequest = { act: "operate", name: "sealCopy", request: { recipient } };
    const file = readAnswer(await tab.ask(request)) as Uint8Array<ArrayBuffer>; // `sealCopy` answers with bytes
    return { identity, file };
  }

  test("one tab has the key, every other one uses it, and a lock anywhere locks all", async () => {
    const [first, second] = [openTab(), openTab()];
    await Promise.all([until(first, "locked"), until(second, "locked")]);
    await assert.rejects(sealForSheet(second), KeyLockedError);
    const { worker, halves } = await holdNewKey(first);
    await until(second, "open");
    const late = openTab();
    assert.equal(late.state.kind, "unknown");
    const { identity, file } = await sealForSheet(late); // it waits until it is known who has the key
    assert.deepEqual(late.state, { kind: "open", halves });

    // The copy opens to the same key, in a worker of its own; another sheet opens nothing.
    const other = startKeyWorker();
    assert.deepEqual(await openCopy(other, { file, secret: { identity }, expected: halves }), halves);
    const { identity: stranger } = await generateSheet("personal");
    const wrong = openCopy(other, { file, secret: { identity: stranger }, expected: halves });
    await assert.rejects(wrong, { reason: "wrong_secret" });
    const checked = readAnswer(
      await second.ask({ act: "operate", name: "checkCopy", request: { file, secret: { identity } } }),
    );
    assert.equal(checked, "opens");

    // Public halves say nothing about the seed.
    const key = await openKeyCopy(file, { identity });
    assert.ok(!(key instanceof RefusalError));
    const { seed } = await generatePersonalKey();
    const reseeded = await sealKeyCopy({ ...key, seed }, { recipient: key.recipient });
    const request = { file: reseeded, secret: { identity: key.identity } };
    const refused = second.ask({ act: "operate", name: "checkCopy", request }).then(readAnswer);
    await assert.rejects(refused, { reason: "other_key" });

    second.lock();
    await Promise.all([first, second, late].map((tab) => until(tab, "locked")));
    assert.ok(worker.isEnded);
    await assert.rejects(sealForSheet(first), KeyLockedError);
  });

  test("a tab that takes the key over ends it in the one before, and a tab that is closed locks the others", async () => {
    const [first, second, third] = [openTab(), openTab(), openTab()];
    const before = await holdNewKey(first);
    await until(third, "open");
    const now = await holdNewKey(second);
    for (const tab of [first, third])
      while (tab.state.kind !== "open" || tab.state.halves.recipient !== now.halves.recipient)
        await new Promise<void>((resolve) => {
          const stop = tab.subscribe(() => {
            stop();
            resolve();
          });
        });
    assert.ok(before.worker.isEnded);
    // It dies in the middle of a request: nobody says so, and the ones that wait hear of it all the same.
    now.worker.ask = () => new Promise(() => undefined);
    const asked = sealForSheet(third);
    second.close();
    await assert.rejects(asked, KeyLockedError);
    await Promise.all([first, third].map((tab) => until(tab, "locked")));
  });

  test("a passkey is asked for in the tab that needs it, whichever tab has the key", async () => {
    const [first, second] = [openTab(), openTab()];
    await holdNewKey(first);
    await until(second, "open");
    /** As a passkey: another result for each nonce, always the same one. */
    const hash = async (nonce: Uint8Array, place: number) => ({
      [place === 1 ? "first" : "second"]: await crypto.subtle.digest("SHA-256", new Uint8Array([place, ...nonce])),
    });
    const prompt = async (nonce: Uint8Array) =>
      ({ ...(await hash(nonce, 1)), ...(await hash(nonce, 2)) }) as unknown as PasskeySecrets; // both of its members
    const operate = (name: keyof typeof copyOperations, request: unknown, ask: AskPasskey) =>
      second.ask({ act: "operate", name, request }, ask).then(readAnswer);
    const file = await operate("sealCopy", { passkey: "asked" }, prompt);
    const request = { file, secret: { passkey: "asked" } };
    assert.equal(await operate("checkCopy", request, prompt), "opens");
    await assert.rejects(
      operate("checkCopy", request, (nonce) => prompt(nonce.map((byte) => byte ^ 1))),
      { reason: "wrong_secret" },
    );
    const closed = new Error("the prompt was closed");
    await assert.rejects(
      operate("checkCopy", request, () => Promise.reject(closed)),
      closed,
    );
    assert.equal(await operate("checkCopy", request, prompt), "opens");
  });

  test("the key locks by itself after its time without use, which a use in any tab begins again", async () => {
    const [first, second] = [openTab(15), openTab(15)];
    await Promise.all([until(first, "locked"), until(second, "locked")]);
    mock.timers.enable({ apis: ["Date", "setTimeout"] });
    try {
      const { worker } = await holdNewKey(first);
      await until(second, "open");
      mock.timers.tick(14 * 60_000);
      await sealForSheet(second);
      mock.timers.tick(14 * 60_000);
      assert.equal(first.state.kind, "open");
      assert.ok(first.locksSoon);
      await untilSoon(second, true);
      const late = openTab(15);
      await untilSoon(late, true);

      // Whichever tab somebody does something in, all hear that it stays open.
      late.use();
      await Promise.all([first, second, late].map((tab) => untilSoon(tab, false)));
      mock.timers.tick(14 * 60_000 - 1);
      assert.equal(first.locksSoon, false);
      mock.timers.tick(1);
      assert.ok(first.locksSoon);
      mock.timers.tick(60_000);
      assert.equal(first.state.kind, "locked");
      assert.ok(worker.isEnded);
      await until(second, "locked");
      assert.deepEqual([first.locksSoon, second.locksSoon], [false, false]);

      // While a computer sleeps no timer runs: what is asked first afterwards locks it.
      await holdNewKey(first);
      await until(second, "open");
      mock.timers.setTime(Date.now() + 60 * 60_000);
      await assert.rejects(sealForSheet(first), KeyLockedError);
      await until(second, "locked");
    } finally {
      mock.timers.reset();
    }
  });

  test("an operation that refuses says so, and answers never have the key in them", async () => {
    const tab = openTab();
    const answers: KeyAnswer[] = [];
    const worker = startKeyWorker();
    const { ask } = worker;
    worker.ask = async (...parts) => {
      const answer = await ask(...parts);
      answers.push(answer);
      return answer;
    };
    const halves = await makeKey(worker);
    await tab.hold(worker, halves);
    const { identity, file } = await sealForSheet(tab);
    const stranger = startKeyWorker();
    await makeKey(stranger);
    const request = { file, secret: { identity } };
    const answer = await stranger.ask({ act: "operate", name: "checkCopy", request });
    assert.deepEqual(answer, { outcome: "refused", reason: "other_key" });
    const said = JSON.stringify(answers, (_name, value) => (value instanceof Uint8Array ? `${value}` : value));
    assert.ok(said.includes(halves.recipient));
    assert.doesNotMatch(said, /AGE-SECRET-KEY|signingSeed/);
  });
});
