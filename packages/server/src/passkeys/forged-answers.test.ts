import assert from "node:assert/strict";
import { test } from "node:test";
import { whoIs } from "../oidc/testing/sign-in-bench.ts";
import { findParty } from "./ceremony.ts";
import { add, createPasskeyBench, list, outcomeOf, path, use } from "./testing/passkey-bench.ts";

test("what a passkey has not signed for this sign-in, this host and this person lets nobody in", async (t) => {
  const { service, owner, createAuthenticator, openBrowser, signIn, listActions, setAhead } =
    await createPasskeyBench(t);
  const authenticator = createAuthenticator();
  const browser = await signIn();
  assert.equal(outcomeOf(await add(browser, authenticator)), "200");
  await service.signUp("second@example.com");
  const other = createAuthenticator();
  const second = await signIn("second@example.com");
  assert.equal(outcomeOf(await add(second, other)), "200");

  const stranger = openBrowser();
  const otherHandle = (await service.database.selectFrom("passkey").selectAll().execute())[1]?.user_handle ?? "";
  const refused = {
    "another origin": { origin: "https://sealpost.example" },
    "another host": { rpId: "sealpost.example" },
    "made, not used": { type: "webauthn.create" },
    "another person's name": { userHandle: otherHandle },
    "nobody's name": { userHandle: null },
  };
  for (const [what, deviation] of Object.entries(refused))
    assert.equal(outcomeOf(await use(stranger, authenticator, deviation)), "403 passkey_refused", what);
  const elsewhere = { challenge: Buffer.alloc(32).toString("base64url") };
  assert.equal(outcomeOf(await use(stranger, authenticator, elsewhere)), "403 passkey_expired", "never asked here");
  assert.equal(
    outcomeOf(await use(stranger, authenticator, { isUserVerified: false })),
    "403 passkey_user_unverified",
    "nobody has shown to be its owner",
  );
  const ask = async () => (await stranger.post(`${path}/begin-sign-in`)).body.publicKey;
  const tampered = authenticator.get(await ask());
  const signature = Buffer.from(tampered.signature, "base64url");
  signature.writeUInt8(signature.readUInt8(20) ^ 1, 20);
  const bent = { ...tampered, signature: signature.toString("base64url") };
  assert.equal(outcomeOf(await stranger.post(`${path}/sign-in`, bent)), "403 passkey_refused");
  // The signature of one passkey, with the id of another person's.
  const foreign = { ...other.get(await ask(), { userHandle: otherHandle }), id: authenticator.credentialId };
  assert.equal(outcomeOf(await stranger.post(`${path}/sign-in`, foreign)), "403 passkey_refused");
  assert.equal(outcomeOf(await use(stranger, createAuthenticator())), "401 passkey_unknown");

  // Asked for in one browser, answered in another; after its time; and twice.
  const asked = authenticator.get(await ask());
  assert.equal(outcomeOf(await openBrowser().post(`${path}/sign-in`, asked)), "403 passkey_expired");
  setAhead(11 * 60_000);
  assert.equal(outcomeOf(await stranger.post(`${path}/sign-in`, asked)), "403 passkey_expired");
  setAhead(0);
  const answer = authenticator.get(await ask());
  const headers = {
    origin: service.url,
    cookie: stranger.cookiesOf(service.url),
  };
  const send = () => service.request("POST", `${path}/sign-in`, { body: answer, headers });
  const twice = await Promise.all([send(), send()]);
  assert.deepEqual(twice.map(({ status }) => status).toSorted(), [200, 403], "at once");
  assert.equal((await send()).body.code, "passkey_expired", "once more, with the cookie of then");
  assert.equal(await whoIs(stranger), undefined);

  // If a counter goes back, a copy may exist; one that never counts is no sign of that.
  assert.equal(outcomeOf(await use(stranger, authenticator, { counter: 7 })), "200");
  for (const counter of [7, 3, 0])
    assert.equal(outcomeOf(await use(openBrowser(), authenticator, { counter })), "403 passkey_copied");
  assert.equal(outcomeOf(await use(openBrowser(), authenticator, { counter: 8 })), "200");
  const actions = await listActions(owner.id);
  assert.equal(actions.filter((action) => action === "passkey.refused").length, 1, "at most once an hour");
  // Nothing of all that is left.
  const rows = await service.database.selectFrom("verification").select("value").execute();
  assert.equal(rows.filter(({ value }) => value === "passkey-challenge").length, 8, "one for each right signature");
  assert.equal(outcomeOf(await use(second, authenticator, {}, "confirm")), "401 passkey_unknown", "another person's");
});

test("a new passkey counts only as the answer to a fresh session of its owner, and is kept once", async (t) => {
  const { service, createAuthenticator, openBrowser, signIn, setAhead } = await createPasskeyBench(t);
  const browser = await signIn();
  const authenticator = createAuthenticator();
  for (const [deviation, code] of [
    [{ origin: "https://sealpost.example" }, "passkey_refused"],
    [{ rpId: "sealpost.example" }, "passkey_refused"],
    [{ challenge: Buffer.alloc(32).toString("base64url") }, "passkey_expired"],
    [{ attestation: "forged" }, "passkey_refused"],
    [{ isUserVerified: false }, "passkey_user_unverified"],
  ] as const)
    assert.equal(outcomeOf(await add(browser, authenticator, deviation)), `403 ${code}`, JSON.stringify(deviation));
  const begun = await browser.post(`${path}/begin`);
  const garbage = { ...authenticator.create(begun.body.publicKey), attestationObject: "AAAA" };
  assert.equal(outcomeOf(await browser.post(path, garbage)), "403 passkey_refused");
  assert.equal(outcomeOf(await browser.post(path, { ...garbage, clientDataJSON: "AAAA" })), "403 passkey_refused");
  assert.equal(outcomeOf(await browser.post(path, { ...garbage, id: "no base64url!" })), "400 invalid_request");
  assert.equal(outcomeOf(await openBrowser().post(`${path}/begin`)), "401 credential_invalid");
  // Certificates are never read, so nobody is asked whether they were revoked; what the key itself has signed is checked.
  assert.equal(outcomeOf(await add(browser, authenticator, { attestation: "certificate" })), "200");
  assert.equal(outcomeOf(await add(browser, createAuthenticator(), { attestation: "self" })), "200");
  assert.equal(outcomeOf(await add(browser, authenticator)), "409 passkey_exists");
  assert.equal((await list(browser)).length, 2);
  const from = async (origin: string) =>
    (await service.request("POST", `${path}/begin-sign-in`, { body: {}, headers: { origin } })).body.code;
  assert.equal(await from("https://elsewhere.example"), "foreign_site");
  assert.equal(await from(service.url.replace("localhost", "127.0.0.1")), "passkeys_unavailable");
  setAhead(61 * 60_000);
  assert.equal(outcomeOf(await browser.post(`${path}/begin`)), "403 session_stale");
  assert.equal(outcomeOf(await use(browser, authenticator, {}, "confirm")), "200");
  assert.equal(outcomeOf(await browser.post(`${path}/begin`)), "200", "a passkey makes a session fresh");
});

test("browsers have passkeys with HTTPS or on localhost, and of hosts with a name alone", () => {
  for (const [origin, id] of [
    ["https://forms.example.com", "forms.example.com"],
    ["https://forms.example.com:8443", "forms.example.com"],
    ["http://localhost:3000", "localhost"],
    ["http://sealpost.localhost", "sealpost.localhost"],
    ["http://forms.example.com", undefined],
    ["http://127.0.0.1:3000", undefined],
    ["https://192.0.2.1", undefined],
    ["https://[2001:db8::1]", undefined],
  ] as const)
    assert.deepEqual(findParty(origin), id && { origin, id }, origin);
});

test("an authenticator's id that is not the one of the answer, whose length is bounded, is in no account", async (t) => {
  const { service, createAuthenticator, signIn } = await createPasskeyBench(t);
  const browser = await signIn();
  for (const attestedIdBytes of [16, 1023, 1024, 3_000, 12_000])
    assert.equal(outcomeOf(await add(browser, createAuthenticator(), { attestedIdBytes })), "403 passkey_refused");
  assert.deepEqual(await service.database.selectFrom("passkey").select("id").execute(), []);
});
