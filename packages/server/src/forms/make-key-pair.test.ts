import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyPair } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createTestService } from "../testing/test-service.ts";
import { createMakeKeyPair } from "./make-key-pair.ts";
import { createForm } from "./testing/test-form.ts";

test("a flood of key pairs is made one by one and put off beyond a bound, while sign-ins continue and other accounts come next", async (t) => {
  const pair = takeKeyPair();
  let running = 0;
  let most = 0;
  const turns = Array.from({ length: 200 }, () => ({
    begun: Promise.withResolvers<void>(),
    go: Promise.withResolvers<void>(),
  }));
  const waitingTurns = turns.values();
  async function generate(): Promise<KeyPair> {
    running += 1;
    most = Math.max(most, running);
    const turn = waitingTurns.next().value;
    turn?.begun.resolve();
    await turn?.go.promise;
    running -= 1;
    return pair;
  }
  const service = await createTestService(t, { makeKeyPair: createMakeKeyPair(undefined, generate) });
  const email = "flood@example.com";
  const flood = await service.signUp(email);
  const other = await service.signUp();
  const formId = await createForm(flood);
  const ended: string[] = [];
  const ask = async (name: string, account: typeof flood, path: string, body?: object) => {
    const answer = await account.request("POST", path, body);
    ended.push(name);
    return answer;
  };
  const putOff = Promise.withResolvers<void>();
  let refused = 0;
  const rotations = Array.from({ length: 100 }, () =>
    ask("flood", flood, `/api/forms/${formId}/rotate-keys`).then((answer) => {
      if (answer.status === 503) refused += 1;
      // One is being made and 32 wait.
      if (refused === 67) putOff.resolve();
      return answer;
    }),
  );
  await putOff.promise;
  ended.length = 0;
  const created = ask("other", other, "/api/forms", { name: "Contact" });
  const signedIn = await service.request("POST", "/api/auth/sign-in/email", {
    body: { email, password: "correct horse battery" },
  });
  assert.equal(signedIn.status, 200);
  // A key of one's own needs no turn.
  const own = { name: "Own", publicKey: pair.publicKey };
  assert.equal((await ask("own", other, "/api/forms", own)).status, 200);
  assert.deepEqual(ended, ["own"]);

  // The one that is being made, at most one more of the flood, and the other account's: the rest of the flood is held meanwhile.
  for (const { begun, go } of turns.slice(0, 3)) {
    await begun.promise;
    go.resolve();
  }
  assert.equal((await created).status, 200);
  for (const { go } of turns) go.resolve();
  await Promise.all(rotations);
  assert.equal(most, 1);
});
