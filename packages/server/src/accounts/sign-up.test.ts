import assert from "node:assert/strict";
import { test } from "node:test";
import { decideSignUp, type SignUpDecision, type SignUpRequest } from "./sign-up.ts";

const setupToken = "the-token-that-the-start-printed";

/** mode, accounts there are, whether only this machine can be asking, the token that came along */
type Row = readonly [SignUpRequest["mode"], number, boolean, string | undefined, SignUpDecision];

const rows: readonly Row[] = [
  ["first", 0, true, undefined, "allowed"],
  ["first", 0, false, undefined, "setup_token_needed"],
  ["first", 0, false, "", "setup_token_needed"],
  ["first", 0, false, "another", "setup_token_needed"],
  ["first", 0, false, setupToken.toUpperCase(), "setup_token_needed"],
  ["first", 0, false, setupToken.slice(0, -1), "setup_token_needed"],
  ["first", 0, false, setupToken, "allowed"],
  ["first", 1, true, undefined, "closed"],
  ["first", 1, true, setupToken, "closed"],
  ["first", 1, false, setupToken, "closed"],
  ["open", 0, true, undefined, "allowed"],
  ["open", 0, false, undefined, "setup_token_needed"],
  ["open", 0, false, setupToken, "allowed"],
  ["open", 1, false, undefined, "allowed"],
  ["open", 1000, true, undefined, "allowed"],
  ["closed", 0, true, undefined, "closed"],
  ["closed", 0, true, setupToken, "closed"],
  ["closed", 0, false, setupToken, "closed"],
  ["closed", 5, false, setupToken, "closed"],
];

for (const [mode, accounts, isLoopback, givenToken, decision] of rows) {
  const asker = isLoopback ? "from this machine" : "from elsewhere";
  const token =
    givenToken === setupToken ? "the token" : givenToken === undefined ? "no token" : JSON.stringify(givenToken);
  test(`sign-up ${mode}, ${accounts} accounts, ${asker}, ${token}: ${decision}`, () => {
    assert.equal(decideSignUp({ mode, accounts, setupToken, givenToken, isLoopback }), decision);
  });
}
