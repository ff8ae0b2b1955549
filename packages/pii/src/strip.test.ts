import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { detectors, findWith } from "./find.ts";
import type { Detector } from "./scan.ts";
import { finish } from "./steps.ts";
import { type Fields, type FieldValue, type Hints, type Options, stripPii, stripWith } from "./strip.ts";
import { allTypes, removedToken, tokens } from "./types.ts";

function json(fields: Fields, hints?: Hints): string {
  return JSON.stringify(stripPii(fields, hints).fields);
}

suite("the tree", () => {
  test("the argument is not changed, the order of names is kept, and so is every value without a hit", () => {
    const fields = Object.freeze({ b: "no hit \u200b １２", a: ["x", null, true, 1.5, ""], z: { y: "a@b.example" } });
    assert.equal(json(fields), '{"b":"no hit \u200b １２","a":["x",null,true,1.5,""],"z":{"y":"[EMAIL]"}}');
    assert.equal(fields.z.y, "a@b.example");
  });
  test("a field may have any name", () => {
    const fields: Fields = JSON.parse(
      '{"__proto__":"a@b.example","constructor":"x","length":3,"toString":"y","hasOwnProperty":["192.0.2.1"]}',
    );
    assert.equal(
      json(fields),
      '{"__proto__":"[EMAIL]","constructor":"x","length":3,"toString":"y","hasOwnProperty":["[IP]"]}',
    );
    assert.equal(Object.getPrototypeOf(stripPii(fields).fields), null);
    assert.equal(json(JSON.parse('{"__proto__":{"email":"x"}}')), '{"__proto__":{"email":"[EMAIL]"}}');
  });
  test("a name that holds a hit becomes its token, and none is lost", () => {
    const result = stripPii({
      "a@b.example": 1,
      "c@d.example": 2,
      "[EMAIL]": 3,
      "call 212-555-0147": { x: "192.0.2.1" },
    });
    assert.equal(JSON.stringify(result.fields), '{"[EMAIL]_2":1,"[EMAIL]_3":2,"[EMAIL]":3,"[PHONE]":{"x":"[IP]"}}');
    assert.ok(!JSON.stringify(result.stripped).includes("example"));
    assert.deepEqual(result.stripped.at(-1), { field: "[PHONE].x", types: ["IP_ADDRESS"] });
  });
  test("the report names fields and types, without indexes and values", () => {
    const { stripped } = stripPii({
      note: "a@b.example, 192.0.2.1",
      list: ["x", "a@b.example", { more: "c@d.example" }],
      name: "Anna",
      ok: "x",
    });
    assert.deepEqual(stripped, [
      { field: "note", types: ["EMAIL_ADDRESS", "IP_ADDRESS"] },
      { field: "list", types: ["EMAIL_ADDRESS"] },
      { field: "list.more", types: ["EMAIL_ADDRESS"] },
      { field: "name", types: ["PERSON_NAME"] },
    ]);
  });
});

suite("whole values", () => {
  test("a field of a person's data loses its value, whatever it is", () => {
    assert.equal(
      json({ email: "nothing like an address", first_name: "Anna", dob: "1.2.80" }),
      '{"email":"[EMAIL]","first_name":"[NAME]","dob":"[DATE OF BIRTH]"}',
    );
    assert.equal(
      json({ phone: 2125550147, email: ["a", "b"], name: { first: "Anna", email: "x" } }),
      '{"phone":null,"email":["[EMAIL]","[EMAIL]"],"name":{"first":"[NAME]","email":"[EMAIL]"}}',
    );
  });
  test("a person in an object keeps what no name of its members removes", () => {
    const { fields } = stripPii({
      guardian: { name: "Ann Lee", relation: "aunt", phone: "1" },
      next_of_kin: "Ann Lee",
    });
    assert.equal(
      JSON.stringify(fields),
      '{"guardian":{"name":"[NAME]","relation":"aunt","phone":"[PHONE]"},"next_of_kin":"[NAME]"}',
    );
  });
  test("an empty value, a yes and a no hold nothing", () => {
    assert.equal(
      json({ email: "", phone: "  ", name: false, address: null }),
      '{"email":"","phone":"  ","name":false,"address":null}',
    );
  });
  test("numbers that hit, and values of number and date inputs, become null", () => {
    assert.equal(json({ n: 4111111111111111, m: 42 }), '{"n":null,"m":42}');
    assert.equal(
      json(
        { n: "4111111111111111", d: "1980-01-01" },
        { n: { type: "number" }, d: { type: "date", autocomplete: "bday" } },
      ),
      '{"n":null,"d":null}',
    );
  });
  test("the author's word: true removes, false leaves alone and unread, with all that is inside", () => {
    const hints: Hints = {
      secret: { pii: true },
      email: { pii: false },
      group: { pii: false },
      "deep.note": { pii: true },
    };
    assert.equal(
      json(
        {
          secret: "x",
          email: "a@b.example",
          group: { "a@b.example": ["192.0.2.1"], name: "x" },
          deep: { note: "y", other: "z" },
        },
        hints,
      ),
      '{"secret":"[REMOVED]","email":"a@b.example","group":{"a@b.example":["192.0.2.1"],"name":"x"},"deep":{"note":"[REMOVED]","other":"z"}}',
    );
    assert.equal(json({ agreed: true }, { agreed: { pii: true } }), '{"agreed":null}');
  });
  test("a name that is removed keeps no number from being one, so that stripping again changes nothing", () => {
    const once = stripPii({ "a@b.example customer number": "612 345 678", "customer number": "612 345 678" }).fields;
    assert.equal(JSON.stringify(once), '{"[EMAIL]":"[PHONE]","customer number":"612 345 678"}');
    assert.deepEqual(stripPii(once).fields, once);
  });
  test("the text of a choice is read, though its name removes nothing", () => {
    assert.equal(
      json({ email: "weekly", name: "a@b.example" }, { email: { type: "radio" }, name: { type: "hidden" } }),
      '{"email":"weekly","name":"[EMAIL]"}',
    );
  });
  test("a field's name or label is a word before its bare numbers", () => {
    assert.equal(
      json({ phone_notes: "3920012345", notes: "3920012345" }),
      '{"phone_notes":"[PHONE]","notes":"3920012345"}',
    );
    assert.equal(json({ q1: "078051120" }, { q1: { label: "SSN if you have one" } }), '{"q1":"[SSN]"}');
  });
  test("with types only those are removed, in fields and in text", () => {
    const { fields } = stripPii(
      { email: "a@b.example", name: "Anna", note: "a@b.example 192.0.2.1" },
      {},
      { types: ["IP_ADDRESS", "PERSON_NAME"] },
    );
    assert.equal(JSON.stringify(fields), '{"email":"a@b.example","name":"[NAME]","note":"a@b.example [IP]"}');
  });
});

suite("limits, and failing closed", () => {
  test("a text over 65,536 units is removed whole, one of 65,536 is read", () => {
    const text = `${"x ".repeat(32_762)}a@b.example`;
    assert.equal(text.length, 65_535);
    const { fields, stripped } = stripPii({ fits: `${text}.`, over: `${text}..`, ["k".repeat(65_537)]: "x" });
    assert.equal(String(fields.fits).slice(-9), " [EMAIL].");
    assert.equal(fields.over, "[REMOVED]");
    assert.equal(fields["[REMOVED]"], "x");
    assert.deepEqual(
      stripped.filter((entry) => entry.field !== "fits"),
      [
        { field: "[REMOVED]", types: [] },
        { field: "over", types: [] },
      ],
    );
  });
  test("what is over a mebiunit in all is removed whole", () => {
    const fields = Object.fromEntries(Array.from({ length: 18 }, (_, index) => [`f${index + 10}`, "y".repeat(65_000)]));
    const result = stripPii(fields).fields;
    assert.equal(result.f25, fields.f25);
    assert.equal(result.f26, "[REMOVED]");
    assert.equal(result.f27, "[REMOVED]");
  });
  test("1,000 values pass, 1,001 are refused", () => {
    assert.equal(
      Object.keys(stripPii(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, 1]))).fields)
        .length,
      1_000,
    );
    assert.throws(() => stripPii({ list: Array.from({ length: 1_000 }, () => 1) }), RangeError);
  });
  test("what is nested deeper than 32 is removed, and a cycle ends", () => {
    let value: FieldValue = "a@b.example";
    for (let depth = 0; depth < 40; depth++) value = [value];
    assert.ok(!json({ value }).includes("@"));
    assert.ok(json({ value }).includes("[REMOVED]"));
    const cycle: { [name: string]: FieldValue } = { note: "x" };
    cycle.self = cycle;
    assert.ok(json(cycle).includes("[REMOVED]"));
  });
  test("a value that is no JSON is refused", () => {
    // Callers without types can pass anything; the casts stand for them.
    for (const value of [undefined, () => 1, 1n, Symbol("x")])
      assert.throws(() => stripPii({ x: value as unknown as FieldValue }), TypeError);
  });
  test("a validator that throws lets nothing through", () => {
    // biome-ignore lint/correctness/useYield: it throws before it could
    const broken: Detector = function* () {
      throw new Error("broken validator");
    };
    const find: Parameters<typeof stripWith>[0] = (text, search) => findWith([...detectors, broken], text, search);
    assert.throws(() => finish(stripWith(find, { note: "a@b.example" }, {}, {})), /broken validator/);
    assert.throws(() => finish(stripWith(find, { agreed: true }, {}, {})), /broken validator/); // names are read too
  });
  test("an unknown type is refused before anything is read", () => {
    assert.throws(() => stripPii({ a: "x" }, {}, { types: ["EMAIL" as "EMAIL_ADDRESS"] }), TypeError); // the cast stands for a caller without types
  });
});

suite("the size of what is left", () => {
  const pieces =
    "a b c 1 9 : :// @ / ? & = # . - :: ::1 1.1.1.1 sid= key= otp= code= IP SSN a@b.co x:y@z 1/1/26 W1A".split(" ");
  const unit = fc.constantFrom(...pieces, " ", "\n");
  test("stripping makes a text three times as long at most", () => {
    const worst = `http://h?${"sid=a&".repeat(1000)}`;
    const options: readonly Options[] = [{}, { types: allTypes }, { types: allTypes, country: "GB" }];
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), fc.constantFrom(...options), (text, option) => {
        const { fields } = stripPii({ q: text }, {}, option);
        assert.ok(String(fields.q).length <= 3 * text.length, JSON.stringify([text, fields.q]));
      }),
      { numRuns: 5000, examples: [[worst, {}]] },
    );
    assert.ok(json({ q: worst }).length > 2.9 * worst.length, "and there are such texts");
  });
  test("each of the thousand values that a field's name removes becomes a token of at most seventeen characters", () => {
    for (const token of [...Object.values(tokens), removedToken]) assert.ok(token.length <= 17, token);
    const values = Array.from({ length: 999 }, () => "x");
    assert.equal(
      json({ birthday: values }).length - JSON.stringify({ birthday: values }).length,
      999 * ("[DATE OF BIRTH]".length - 1),
    );
  });
});
