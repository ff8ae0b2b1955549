import assert from "node:assert/strict";
import { test } from "node:test";
import { isAlike, noteSignInPassword, wasSignInPassword } from "./seen-password.ts";

test("the sign-in password is noticed in any spelling, and as long as the page is there", async () => {
  assert.ok(isAlike("Correct Horse", " correcthorse "));
  assert.ok(isAlike("Zoe\u0308 ﬁn", "Zoë fin"));
  assert.ok(!isAlike("correct horse", "correct house"));
  assert.equal(await wasSignInPassword("correct horse"), false);
  noteSignInPassword("Correct Horse");
  assert.equal(await wasSignInPassword("correct horse"), true);
  assert.equal(await wasSignInPassword("correct house"), false);
});
