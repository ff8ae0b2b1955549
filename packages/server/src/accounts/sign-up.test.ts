import assert from "node:assert/strict";
import { test } from "node:test";
import { decideSignUp, type SignUpDecision, type SignUpRequest } from "./sign-up.ts";

const setupToken = "the-token-that-the-start-printed";

/** mode, whether there are accounts, the token that came along */
type Row = readonly [SignUpRequest["mode"], boolean, string | undefined, SignUpDecision];

const rows: readonly Row[] = [
  ["first", false, undefined, "setup_token_needed"],
  ["first", false, "", "setup_token_needed"],
  ["first", false, "another", "setup_token_needed"],
  ["first", false, setupToken.toUpperCase(), "setup_token_needed"],
  ["first", false, setupToken.slice(0, -1), "setup_token_needed"],
  ["first", false, setupToken, "allowed_by_token"],
  ["first", true, undefined, "closed"],
  ["first", true, setupToken, "closed"],
  ["open", false, undefined, "setup_token_needed"],
  ["open", false, setupToken, "allowed_by_token"],
  ["open", true, undefined, "allowed"],
  ["open", true, setupToken, "allowed"],
  ["closed", false, undefined, "closed"],
  ["closed", false, setupToken, "closed"],
  ["closed", true, setupToken, "closed"],
];

for (const [mode, hasAccounts, givenToken, decision] of rows) {
  const token =
    givenToken === setupToken ? "the token" : givenToken === undefined ? "no token" : JSON.stringify(givenToken);
  test(`sign-up ${mode}, ${hasAccounts ? "with" : "without"} accounts, ${token}: ${decision}`, () => {
    assert.equal(decideSignUp({ mode, hasAccounts, setupToken, givenToken }), decision);
  });
}
