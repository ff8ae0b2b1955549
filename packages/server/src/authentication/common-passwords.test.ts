import assert from "node:assert/strict";
import { test } from "node:test";
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

test("the longest password is looked at in a moment", async () => {
  await findCommonPasswordError("correct horse battery", []);
  const started = process.cpuUsage();
  for (const text of ["4@8({[<369|!1$5+7%2", "aA1!", "password", "qwerty123"])
    await findCommonPasswordError(text.repeat(128).slice(0, 128), [email]);
  // The processor's time, which a busy machine does not lengthen; it takes a twentieth of that.
  assert.ok(process.cpuUsage(started).user < 4_000_000);
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
