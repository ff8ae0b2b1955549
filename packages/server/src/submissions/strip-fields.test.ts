import assert from "node:assert/strict";
import { test } from "node:test";
import { stripPii, stripPiiInSteps } from "@sealpost/pii";
import { createId, type Fields } from "@sealpost/wire";
import type { Form } from "../forms/form.ts";
import { Problem } from "../problems/problem.ts";
import { countTurns } from "../testing/count-turns.ts";
import { createStripFields } from "./strip-fields.ts";
import { createStripThread, type StripThread } from "./strip-thread.ts";

const accountId = createId("account", 0);
const visitor = { ip: "192.0.2.1" };

/** A form with the settings that stripping looks at, and no others. */
const formOf = (owner: string): Form =>
  ({ accountId: owner, id: createId("form"), settings: { piiTypes: null, country: null } }) as unknown as Form;

const thread: StripThread = {
  strip: () => assert.fail("a text that is long enough for the thread"),
  stop: async () => {},
};

/** Texts of nearly the length that goes to the thread, found by search as the slowest, and usual ones. */
const texts = ["1-", "212-555-0147 ", "1 ", "ü", "a@b.co ", "DE89 3704 0044 0532 0130 00 ", "e\u0301\u0323"];
const fieldsOf = (piece: string, length = 8_100): Fields => ({ note: piece.repeat(Math.floor(length / piece.length)) });

test("a text of a stranger leaves everybody turns while it is stripped, and is stripped as if at once", async () => {
  const stripFields = createStripFields(thread);
  for (const piece of texts) {
    const fields = fieldsOf(piece);
    let stripped: Fields | undefined;
    const turns = await countTurns(async () => {
      stripped = await stripFields(formOf(accountId), fields, visitor);
    });
    assert.ok(turns >= countSteps(fields) / 32 - 1, `${turns} turns in ${piece}`);
    assert.deepEqual(stripped, stripPii(fields).fields);
  }
});

test("texts for many forms of one account wait for each other, so that no turn is longer than with one", async () => {
  const stripFields = createStripFields(thread);
  const fields = fieldsOf("1-");
  const count = 8;
  const turns = await countTurns(() =>
    Promise.all(Array.from({ length: count }, () => stripFields(formOf(accountId), fields, visitor))),
  );
  assert.ok(turns >= (count * countSteps(fields)) / 32 - count, `${turns} turns`);
});

test("many texts at once for an account's forms put off its own, and no other account's", async () => {
  const stripFields = createStripFields(thread);
  const fields = fieldsOf("//", 1_100);
  const order: string[] = [];
  const strip = (name: string, owner: string) =>
    stripFields(formOf(owner), fields, visitor).then(
      () => void order.push(name),
      (error) => {
        assert.ok(error instanceof Problem && error.status === 503);
        order.push(`${name} put off`);
      },
    );
  const flood = Array.from({ length: 400 }, () => strip("flood", accountId));
  await Promise.all([...flood, strip("other", createId("account", 1))]);
  assert.ok(order.filter((name) => name !== "flood put off").indexOf("other") <= 2, "among the first");
  assert.ok(order.includes("flood put off") && !order.includes("other put off"));
});

test("who has many long texts of one form stripped at once is put off, and no other visitor of it is", async (t) => {
  const ownThread = createStripThread();
  t.after(() => ownThread.stop());
  const stripFields = createStripFields(ownThread);
  const form = formOf(accountId);
  // Here in pieces, and in the thread.
  for (const length of [1_100, 9_000]) {
    const status = (from: string) =>
      stripFields(form, fieldsOf("//", length), { ip: from }).then(
        () => 200,
        (error) => (error instanceof Problem ? error.status : 500),
      );
    // All are of one network, as IPv6 ones have addresses enough.
    const flood = Array.from({ length: 100 }, (_, index) => status(`2001:db8::${index.toString(16)}`));
    const others = ["192.0.2.1", "192.0.2.2", "2001:db8:0:1::1"].map(status);
    assert.deepEqual(await Promise.all(others), [200, 200, 200]);
    const answers = await Promise.all(flood);
    assert.deepEqual([answers.filter((one) => one === 503).length, answers.includes(200)], [91, true]);
  }
});

function countSteps(fields: Fields): number {
  return Array.from(stripPiiInSteps(fields)).length;
}
