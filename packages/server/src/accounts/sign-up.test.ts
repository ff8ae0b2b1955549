import assert from "node:assert/strict";
import { test } from "node:test";
import { decideSignUp, type SignUpDecision, type SignUpRequest } from "./sign-up.ts";

const setupToken = "the-token-that-the-start-printed";

/** mode, accounts there are, the token that came along */
type Row = readonly [SignUpRequest["mode"], number, string | undefined, SignUpDecision];

const rows: readonly Row[] = [
  ["first", 0, undefined, "setup_token_needed"],
  ["first", 0, "", "setup_token_needed"],
  ["first", 0, "another", "setup_token_needed"],
  ["first", 0, setupToken.toUpperCase(), "setup_token_needed"],
  ["first", 0, setupToken.slice(0, -1), "setup_token_needed"],
  ["first", 0, setupToken, "allowed_by_token"],
  ["first", 1, undefined, "closed"],
  ["first", 1, setupToken, "closed"],
  ["open", 0, undefined, "setup_token_needed"],
  ["open", 0, setupToken, "allowed_by_token"],
  ["open", 1, undefined, "allowed"],
  ["open", 1000, setupToken, "allowed"],
  ["closed", 0, undefined, "closed"],
  ["closed", 0, setupToken, "closed"],
  ["closed", 5, setupToken, "closed"],
];

for (const [mode, accounts, givenToken, decision] of rows) {
  const token =
    givenToken === setupToken ? "the token" : givenToken === undefined ? "no token" : JSON.stringify(givenToken);
  test(`sign-up ${mode}, ${accounts} accounts, ${token}: ${decision}`, () => {
    assert.equal(decideSignUp({ mode, accounts, setupToken, givenToken }), decision);
  });
}
