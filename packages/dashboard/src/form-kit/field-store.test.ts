import assert from "node:assert/strict";
import { describe, test } from "node:test";
import "../../testing/with-texts.ts";
import { ApiError } from "@sealpost/sdk";
import { errors } from "../../../texts/src/en/errors.ts";
import { listChanged, stepsMax } from "./field-state.ts";
import { FieldStore, type FieldStoreOptions } from "./field-store.ts";
import { findMistake, readRefusal } from "./mistakes.ts";

interface Values {
  readonly name: string;
  readonly origins: readonly string[];
  readonly strip: boolean;
  readonly password: string;
}

const initial: Values = { name: "Contact", origins: [], strip: false, password: "" };
const nothingSeen = () => undefined;

function createStore(options: Partial<FieldStoreOptions<Values, unknown>> = {}) {
  const store: FieldStore<Values, unknown> = new FieldStore<Values, unknown>(initial, () => ({
    check: () => ({}),
    send: () => undefined,
    onSaved: () => undefined,
    readRefusal: (error) => readRefusal(error, Object.keys(initial), "name"),
    canUndo: true,
    ...options,
  }));
  store.nameSecret("password");
  return store;
}

const refusedWith = (status: number, details: Readonly<Record<string, string>> = {}) =>
  new ApiError(errors.form_name_taken, {
    status,
    code: "bad_request",
    reason: "form_name_taken",
    details,
    detailCodes: Object.fromEntries(Object.keys(details).map((path) => [path, "field_empty"])),
  });
const empty = errors.field_empty;

describe("the fields of a form", () => {
  test("are changed as long as one of them differs from what was shown or saved", async () => {
    const store = createStore();
    assert.equal(store.isChanged(), false);
    store.change("name", "Contact us", "typed");
    store.change("origins", ["https://example.org"]);
    assert.equal(store.isChanged(), true);
    store.change("name", "Contact", "typed");
    assert.equal(store.isChanged(), true, "a list counts");
    store.change("origins", []);
    assert.equal(store.isChanged(), false, "another list of the same counts as the same");
    store.change("strip", true);
    await store.submit(nothingSeen, store.deliver);
    assert.equal(store.isChanged(), false);
  });

  test("have nothing left to lose by the time that something follows a save", async () => {
    let isHeld: boolean | undefined;
    const store = createStore({
      onSaved: () => {
        isHeld = store.isChanged();
      },
    });
    store.change("name", "Contact us", "typed");
    await store.submit(nothingSeen, store.deliver);
    assert.equal(isHeld, false);
  });

  test("that are changed while they are sent are still to be saved", async () => {
    const answer = Promise.withResolvers<void>();
    const store = createStore({ send: () => answer.promise });
    store.change("name", "first", "typed");
    const sending = store.submit(nothingSeen, store.deliver);
    store.change("name", "second", "typed");
    answer.resolve();
    await sending;
    assert.equal(store.isChanged(), true);
    assert.equal(store.get().values.name, "second");
  });

  test("keep what was typed when the answer is lost or the session has ended, and are sent again", async () => {
    const sent: Values[] = [];
    const answers = [new TypeError("Failed to fetch"), refusedWith(401), undefined];
    const store = createStore({
      send: (values) => {
        sent.push(values);
        const answer = answers[sent.length - 1];
        if (answer !== undefined) throw answer;
      },
    });
    store.change("name", "Contact us", "typed");
    for (const isHeld of [true, true, false]) {
      await store.submit(nothingSeen, store.deliver);
      assert.equal(store.isChanged(), isHeld);
      assert.equal(store.get().values.name, "Contact us");
    }
    assert.deepEqual(
      sent.map(({ name }) => name),
      ["Contact us", "Contact us", "Contact us"],
    );
    assert.equal(store.get().isElsewhere, false);
  });

  test("are sent once, however often the button is pressed before the answer", async () => {
    const answer = Promise.withResolvers<void>();
    let times = 0;
    const store = createStore({
      send: () => {
        times += 1;
        return answer.promise;
      },
    });
    const presses = [1, 2, 3].map(() => store.submit(nothingSeen, store.deliver));
    answer.resolve();
    await Promise.all(presses);
    assert.equal(times, 1);
    await store.submit(nothingSeen, store.deliver);
    assert.equal(times, 2, "after the answer it is another one");
  });

  test("that are wrong are not sent, and each says so until it is changed", async () => {
    let isSent = false;
    const store = createStore({
      check: ({ name, origins }) => ({
        ...(name === "" && { name: "Must not be empty" }),
        ...(origins.length === 0 && { origins: "Name one" }),
      }),
      send: () => {
        isSent = true;
      },
    });
    store.change("name", "", "typed");
    await store.submit(nothingSeen, store.deliver);
    assert.equal(isSent, false);
    assert.deepEqual(store.get().mistakes, { name: "Must not be empty", origins: "Name one" });
    assert.equal(store.get().refusals, 1);
    store.change("name", "Contact", "typed");
    assert.deepEqual(store.get().mistakes, { origins: "Name one" });
    assert.equal(store.get().refusals, 1, "the focus stays where somebody types");
    store.change("origins", ["https://example.org"]);
    await store.submit(nothingSeen, store.deliver);
    assert.equal(isSent, true);
  });

  test("that a browser filled in without an event are sent too", async () => {
    let sent: Values | undefined;
    const store = createStore({
      send: (values) => {
        sent = values;
      },
    });
    await store.submit((name) => (name === "name" ? "Filled in" : undefined), store.deliver);
    assert.equal(sent?.name, "Filled in");
    assert.equal(store.get().values.name, "Filled in");
  });

  test("that are secrets are sent and kept nowhere, so that nothing of them is there to be lost", async () => {
    const sent: string[] = [];
    const answers = [refusedWith(400, { password: "Wrong" }), undefined];
    const store = createStore({
      send: ({ password }) => {
        sent.push(password);
        const answer = answers[sent.length - 1];
        if (answer !== undefined) throw answer;
      },
    });
    const read = (name: string) => (name === "password" ? "a secret of mine" : undefined);
    for (const _ of answers) {
      await store.submit(read, store.deliver);
      assert.doesNotMatch(JSON.stringify(store.get()), /a secret of mine/);
      assert.equal(store.isChanged(), false);
    }
    assert.deepEqual(sent, ["a secret of mine", "a secret of mine"]);
  });

  test("are as they were after every undo, and as they became after every redo", () => {
    const store = createStore();
    const seen = [store.get().values];
    const steps = [
      () => store.change("strip", true),
      () => store.change("name", "C", "typed"),
      () => store.change("origins", ["https://example.org"]),
      () => store.change("name", "D", "typed"),
    ];
    for (const step of steps) {
      step();
      seen.push(store.get().values);
    }
    for (const values of seen.slice(0, -1).reverse()) {
      store.undo();
      assert.deepEqual(store.get().values, values);
    }
    store.undo();
    assert.deepEqual(store.get().values, initial, "before the first there is nothing");
    for (const values of seen.slice(1)) {
      store.redo();
      assert.deepEqual(store.get().values, values);
    }
    store.undo();
    store.change("strip", false);
    assert.deepEqual(store.get().future, [], "another change takes the place of what was undone");
  });

  test("have one step for a word that is typed, and another for the next field", () => {
    const store = createStore();
    for (const name of ["C", "Co", "Con"]) store.change("name", name, "typed");
    store.change("strip", true);
    store.change("name", "Cont", "typed");
    store.undo();
    assert.equal(store.get().values.name, "Con");
    store.undo();
    store.undo();
    assert.deepEqual(store.get().values, initial);
  });

  test("keep nothing of what was typed before, where no page lets it be undone", () => {
    const store = createStore({ canUndo: false });
    store.change("name", "first words", "typed");
    store.change("strip", true);
    store.change("name", "second", "typed");
    assert.doesNotMatch(JSON.stringify(store.get()), /first words/);
    store.undo();
    assert.equal(store.get().values.name, "second");
  });

  test("are sent again after an answer that was lost, whatever they show by then, until one says that they are saved", async () => {
    const sent: unknown[] = [];
    let error: Error | undefined = new TypeError("Failed to fetch");
    const store = createStore({
      send() {
        sent.push(listChanged(store.get()));
        if (error) throw error;
      },
    });
    store.change("strip", true);
    await store.submit(nothingSeen, store.deliver);
    store.change("strip", false);
    store.change("name", "Contact us", "typed");
    assert.equal(store.isChanged(), true);
    error = refusedWith(400);
    await store.submit(nothingSeen, store.deliver);
    error = undefined;
    await store.submit(nothingSeen, store.deliver);
    assert.deepEqual(sent, [["strip"], ["name", "strip"], ["name", "strip"]]);
    assert.equal(store.isChanged(), false);
  });

  test("that nobody has changed show what was saved elsewhere, also after Undo, and the others keep what was typed", () => {
    const store = createStore();
    store.change("name", "Contact us", "typed");
    store.follow({ ...initial, name: "Kontakt", strip: true });
    assert.deepEqual(store.get().values, { ...initial, name: "Contact us", strip: true });
    assert.deepEqual(listChanged(store.get()), ["name"]);
    store.undo();
    assert.deepEqual(store.get().values, { ...initial, name: "Kontakt", strip: true });
    assert.equal(store.isChanged(), false);
  });

  test(`remember ${stepsMax} steps, the newest`, () => {
    const store = createStore();
    for (let step = 0; step <= stepsMax; step += 1) store.change("origins", [String(step)]);
    assert.equal(store.get().past.length, stepsMax);
    for (let step = 0; step <= stepsMax; step += 1) store.undo();
    assert.deepEqual(store.get().values.origins, ["0"]);
  });
});

describe("what a refusal says of the fields", () => {
  const paths = ["name", "origins"];
  const cases = [
    { error: refusedWith(400, { name: empty }), mistakes: { name: empty }, isElsewhere: false },
    { error: refusedWith(400, { "origins.2": empty }), mistakes: { origins: empty }, isElsewhere: false },
    { error: refusedWith(400, { name: empty, plan: empty }), mistakes: { name: empty }, isElsewhere: true },
    { error: refusedWith(409), mistakes: { name: errors.form_name_taken }, isElsewhere: false },
    { error: refusedWith(500), mistakes: {}, isElsewhere: true },
    { error: new TypeError("Failed to fetch"), mistakes: {}, isElsewhere: true },
  ];
  for (const { error, ...refusal } of cases)
    test(`${"status" in error ? `${error.status} ${JSON.stringify(error.details)}` : error.message} is said at ${Object.keys(refusal.mistakes).join(", ") || "no field"}${refusal.isElsewhere ? ", and above the form" : ""}`, () =>
      assert.deepEqual(readRefusal(error, paths, "name"), refusal));

  test("a group says the first mistake within it, and no other field's", () => {
    assert.equal(findMistake({ "origins.2": "No address" }, "origins"), "No address");
    assert.equal(findMistake({ "origins.2": "No address" }, "origin"), undefined);
  });
});
