import assert from "node:assert/strict";
import { test } from "node:test";
import { countCalls } from "../testing/count-calls.ts";
import { createTestService } from "../testing/test-service.ts";
import { findCommonPasswordError } from "./common-passwords.ts";

const email = "ada.lovelace@example.com";
const easy = /^This password is easy to guess/;

test("passwords that are tried first are refused, and long ones of one's own are not", async () => {
  for (const password of [
    "1234567890",
    "Password123",
    "qwertyuiop1",
    "iloveyou1234",
    "sealpost2026",
    "passwordpassword",
  ])
    assert.match((await findCommonPasswordError(password, [email])) ?? "", easy, password);
  for (const password of [email, "ada.lovelace1", "Lovelace2026"])
    assert.match((await findCommonPasswordError(password, [email])) ?? "", easy, password);
  for (const password of ["correct horse battery", "kx7Qw9zLp2", "ein langer eigener Satz", "ключ от моего сарая"])
    assert.equal(await findCommonPasswordError(password, [email]), undefined, password);
});

test("a password that is made to be slow takes at most three times the work of others", async () => {
  const look = (password: string) => findCommonPasswordError(password, [email]);
  const count = async (password: string) => {
    // The first look loads and compiles.
    await look(password);
    return countCalls(() => look(password));
  };
  const usual = await count("correct horse battery staple");
  for (const text of [
    "4@8({[<369|!1$5+7%2".repeat(7),
    "aA1!".repeat(32),
    "password".repeat(16),
    // Found by search: the slowest of some 4,000.
    '2110zgl10z2-10z2>20z/{13z211022z>0120z$o"@*0@(11n321|0z~l15z2110',
    "2112zgl10z*-1<z2>201<z2>2011{22z",
  ])
    assert.ok((await count(text)) <= 3 * usual, text);
});

test("an easy password is refused at sign-up and at a change; an existing one keeps working", async (t) => {
  const service = await createTestService(t);
  const signUp = (password: string) =>
    service.request("POST", "/api/auth/sign-up/email", {
      body: { name: "Ada", email, password, setupToken: service.setupToken },
    });
  const refused = await signUp("Password123");
  assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, ["password"]]);
  assert.match(refused.body.message, easy);
  const { headers } = await signUp("correct horse battery");
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const change = async (newPassword: string) =>
    service.request("POST", "/api/auth/change-password", {
      body: { currentPassword: "correct horse battery", newPassword },
      headers: { cookie, origin: service.url },
    });
  for (const newPassword of ["Password123", "ada.lovelace1"]) {
    const { status, body } = await change(newPassword);
    assert.deepEqual([status, Object.keys(body.details)], [400, ["newPassword"]], newPassword);
  }
  assert.equal((await change("another horse battery")).status, 200);
});
