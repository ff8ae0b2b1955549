import assert from "node:assert/strict";
import { test } from "node:test";
import { findHostConcerns } from "./host-concerns.ts";
import type { HostAnswer, HostState } from "./host-state.ts";

const names = ["a:5432", "b:5432"];
const state: HostState = {
  ...{ role: "primary", system: "7", timeline: 1, position: 100 * 2 ** 20, isSynchronous: true, startedAt: "now" },
};
const standby: HostState = { ...state, role: "standby", timeline: undefined };
const messagesOf = (other: HostAnswer, primary = state) =>
  findHostConcerns(names, [primary, other], { index: 0, state: primary }).map(({ message }) => message);

test("a standby that follows is no concern; one that is gone, lags, or follows nobody is, and so is a primary that does not wait", () => {
  assert.deepEqual(messagesOf(standby), []);
  assert.deepEqual(messagesOf({ ...standby, position: 84 * 2 ** 20 }), []);
  assert.deepEqual(messagesOf({ ...standby, position: 60 * 2 ** 20 }), [
    "b:5432 is a standby, and lags the primary by 40 MiB",
  ]);
  assert.deepEqual(messagesOf({ role: "silent", error: new Error("connect ECONNREFUSED") }), [
    "b:5432 cannot be asked (connect ECONNREFUSED)",
  ]);
  assert.deepEqual(messagesOf({ ...state, role: "read-only" }), ["b:5432 is set to read-only"]);
  assert.match(String(messagesOf(standby, { ...state, isSynchronous: false })), /^a:5432 answers before a standby/);
  const alone = { ...state, isSynchronous: false };
  assert.deepEqual(findHostConcerns(names.slice(1), [alone], { index: 0, state: alone }), []);
});
