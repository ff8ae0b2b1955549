import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestBrowser } from "../oidc/testing/test-browser.ts";
import { type CeremonyPurpose, ceremonyPurposes } from "./ceremony.ts";
import { add, createPasskeyBench, list, outcomeOf, path } from "./testing/passkey-bench.ts";
import type { SoftwareAuthenticator } from "./testing/software-authenticator.ts";

const paths = {
  add: { begin: `${path}/begin`, answer: path },
  confirm: { begin: `${path}/begin-confirm`, answer: `${path}/confirm` },
  sign_in: { begin: `${path}/begin-sign-in`, answer: `${path}/sign-in` },
} as const satisfies Readonly<Record<CeremonyPurpose, object>>;

/** A tab of the browser that has asked for a passkey: answers when it is called. */
async function open(browser: TestBrowser, purpose: CeremonyPurpose, authenticator: SoftwareAuthenticator) {
  const { status, body } = await browser.post(paths[purpose].begin);
  assert.equal(status, 200, JSON.stringify(body));
  const { publicKey } = body;
  const answer = purpose === "add" ? authenticator.create(publicKey) : authenticator.get(publicKey);
  return async () => outcomeOf(await browser.post(paths[purpose].answer, answer));
}

const countCookies = (cookies: string) => cookies.match(/sealpost_passkey/g)?.length ?? 0;

test("two tabs of a browser use passkeys at the same time, for whatever purposes and whichever is answered first", async (t) => {
  const { service, createAuthenticator, signIn } = await createPasskeyBench(t);
  const phone = createAuthenticator();
  const browser = await signIn();
  assert.equal(outcomeOf(await add(browser, phone)), "200");
  const pairs = ceremonyPurposes.flatMap((one, index) =>
    ceremonyPurposes.slice(index).map((other) => [one, other] as const),
  );
  for (const pair of pairs)
    for (const order of [pair, pair.toReversed()]) {
      const tabs = [];
      for (const purpose of pair)
        tabs.push({ purpose, answer: await open(browser, purpose, purpose === "add" ? createAuthenticator() : phone) });
      const [first, second] = order === pair ? tabs : tabs.toReversed();
      assert.ok(first && second);
      const where = `${first.purpose}, then ${second.purpose}`;
      assert.equal(await first.answer(), "200", where);
      // Another session answers nothing that this one was asked.
      const isOther = first.purpose === "sign_in" && second.purpose !== "sign_in";
      assert.equal(await second.answer(), isOther ? "403 passkey_refused" : "200", where);
      assert.equal(countCookies(browser.cookiesOf(service.url)), 0, where);
      assert.equal(await first.answer(), "403 passkey_expired", "it is used up");
    }
  assert.equal((await list(browser)).length, 1 + 4 + 2 + 1, "a control: what was added, but for what was refused");
});

test("a page that asks for one passkey after the other fills no browser's cookies: the oldest give way", async (t) => {
  const { service, createAuthenticator, signIn } = await createPasskeyBench(t);
  const phone = createAuthenticator();
  const browser = await signIn();
  assert.equal(outcomeOf(await add(browser, phone)), "200");
  const tabs = [];
  for (let count = 0; count < 8; count++) tabs.push(await open(browser, "confirm", phone));
  const cookies = browser.cookiesOf(service.url);
  assert.equal(countCookies(cookies), 6);
  assert.ok(cookies.length < 4096, `${cookies.length} characters`);
  const outcomes = [];
  for (const answer of tabs) outcomes.push(await answer());
  assert.deepEqual(outcomes, [...Array(2).fill("403 passkey_expired"), ...Array(6).fill("200")]);
  assert.equal(countCookies(browser.cookiesOf(service.url)), 0);
});
