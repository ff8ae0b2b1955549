import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign as signWith } from "node:crypto";
import { test } from "node:test";
import { createSignInBench, outcomeOf, whoIs } from "./testing/sign-in-bench.ts";
import type { Token } from "./testing/test-provider.ts";

const hour = 3_600_000;
const write = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const { privateKey: otherKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const now = () => Math.floor(Date.now() / 1000);

/** Tokens that are not for this sign-in, with what the page says. */
const forged: Readonly<Record<string, readonly [(token: Token) => Token | string, string]>> = {
  "of another issuer": [
    ({ header, claims }) => ({ header, claims: { ...claims, iss: "https://other.example" } }),
    "refused",
  ],
  "for another audience": [({ header, claims }) => ({ header, claims: { ...claims, aud: "another" } }), "refused"],
  "for several, by another": [
    ({ header, claims }) => ({ header, claims: { ...claims, aud: ["sealpost", "another"], azp: "another" } }),
    "refused",
  ],
  "for us, by another": [({ header, claims }) => ({ header, claims: { ...claims, azp: "another" } }), "refused"],
  "of a person without a name": [({ header, claims }) => ({ header, claims: { ...claims, sub: "" } }), "refused"],
  "of a person with half a character": [
    ({ header, claims }) => ({ header, claims: { ...claims, sub: "\ud800" } }),
    "refused",
  ],
  "of a person with too long a name": [
    ({ header, claims }) => ({ header, claims: { ...claims, sub: "a".repeat(256) } }),
    "refused",
  ],
  "of another sign-in": [({ header, claims }) => ({ header, claims: { ...claims, nonce: "another" } }), "refused"],
  "of no sign-in": [({ header, claims: { nonce: _, ...claims } }) => ({ header, claims }), "refused"],
  "of nobody": [({ header, claims: { sub: _, ...claims } }) => ({ header, claims }), "refused"],
  "that is over": [({ header, claims }) => ({ header, claims: { ...claims, exp: now() - 600 } }), "clock"],
  "from the future": [({ header, claims }) => ({ header, claims: { ...claims, iat: now() + 600 } }), "clock"],
  "that nobody signed": [({ claims }) => `${write({ alg: "none" })}.${write(claims)}.`, "refused"],
  "signed with the client's secret": [
    ({ claims }) => {
      const signed = `${write({ alg: "HS256" })}.${write(claims)}`;
      return `${signed}.${createHmac("sha256", "the secret of the client").update(signed).digest("base64url")}`;
    },
    "refused",
  ],
  "signed with another key": [
    ({ header, claims }) => {
      const signed = `${write(header)}.${write(claims)}`;
      return `${signed}.${signWith("sha256", Buffer.from(signed), otherKey).toString("base64url")}`;
    },
    "refused",
  ],
  "that was changed": [
    ({ header, claims }) => `${write(header)}.${write({ ...claims, sub: "owner" })}.AAAA`,
    "refused",
  ],
  "of no known form": [() => "none", "refused"],
};

test("a token that is not the provider's, not for us or not for this sign-in lets nobody in and leaves nothing", async (t) => {
  const bench = await createSignInBench(t);
  const { provider } = bench;
  provider.person = { sub: "ada", email: "ada@example.com", email_verified: true };
  for (const [name, [tamper, code]] of Object.entries(forged)) {
    const browser = bench.openBrowser();
    provider.tamper = tamper;
    assert.equal(outcomeOf(await browser.signIn()), code, name);
    assert.equal(await whoIs(browser), undefined, name);
  }
  assert.equal(await bench.countAccounts(), 1);
  // The control: the same person with the provider's own token.
  provider.tamper = undefined;
  assert.equal(await bench.signIn(), "/");
  assert.equal(await bench.countAccounts(), 2);
});

test("an answer counts once, in the browser that asked for it, from the provider that it was asked of", async (t) => {
  const bench = await createSignInBench(t);
  const { provider, service } = bench;
  provider.person = { sub: "ada", email: "ada@example.com", email_verified: true };
  const browser = bench.openBrowser();
  const change = (answer: URL, name: string, value: string) => {
    const changed = new URL(answer);
    changed.searchParams.set(name, value);
    return changed.href;
  };
  const finish = async (address: string, at = browser) => outcomeOf(await at.go(address));

  // Somebody who gets another person to open their answer signs nobody in.
  const answer = await browser.fetchAnswer();
  assert.equal(await finish(answer.href, bench.openBrowser()), "expired");
  const cookies = browser.cookiesOf(service.url);
  assert.equal(await finish(answer.href), "/");
  // The cookie is gone; also one who kept it can't use the answer again, and the provider is not even asked.
  assert.equal(await finish(answer.href), "expired");
  const { length } = provider.requests;
  const replayed = await fetch(answer, { redirect: "manual", headers: { cookie: cookies } });
  assert.match(replayed.headers.get("location") ?? "", /oidc=expired/);
  assert.equal(provider.requests.length, length);
  // A code that was used, in the answer of another sign-in.
  const usedCode = answer.searchParams.get("code") ?? "";
  assert.equal(await finish(change(await browser.fetchAnswer(), "code", usedCode)), "expired");
  assert.equal(await finish(change(await browser.fetchAnswer(), "state", "another")), "expired");
  assert.equal(await finish(change(await browser.fetchAnswer(), "iss", "https://other.example")), "refused");
  const withoutIssuer = await browser.fetchAnswer();
  withoutIssuer.searchParams.delete("iss");
  assert.equal(await finish(withoutIssuer.href), "refused");
  // A code that was made for another browser's sign-in is bound to that one's verifier.
  const foreign = await bench.openBrowser().fetchAnswer();
  const code = foreign.searchParams.get("code") ?? "";
  assert.equal(await finish(change(await browser.fetchAnswer(), "code", code)), "expired");
  // A way that took too long.
  const late = await browser.fetchAnswer();
  bench.setAhead(hour);
  assert.equal(await finish(late.href), "expired");
  bench.setAhead(0);
  provider.person = "refuses";
  assert.equal(await bench.signIn(), "cancelled");
});

test("a clock that is wrong by an hour refuses with its reason, and nobody is locked out afterwards", async (t) => {
  const bench = await createSignInBench(t);
  bench.provider.person = { sub: "ada", email: "ada@example.com", email_verified: true };
  for (const ahead of [hour, -hour]) {
    bench.setAhead(ahead);
    // A token of an hour, that the provider gives for ten minutes.
    assert.equal(await bench.signIn(), "clock", String(ahead));
    assert.equal(await bench.countAccounts(), 1);
  }
  bench.setAhead(30_000);
  assert.equal(await bench.signIn(), "/");
});
