import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createId, createSubmissionId, formIdPattern, type IdKind, idPattern, isId } from "./ids.ts";

const prefixes: Record<IdKind, string> = {
  form: "form",
  submission: "sub",
  apiKey: "key",
  delivery: "dlv",
  event: "evt",
  account: "acc",
  file: "fil",
};
const kinds = Object.keys(prefixes) as IdKind[]; // the record above has every kind and nothing else

/** The 128 bits of an id, read by the rules of TypeID and not with our own encoder. */
function toUuid(id: string): string {
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  const suffix = id.slice(id.indexOf("_") + 1);
  const bits = [...suffix].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n);
  return bits.toString(16).padStart(32, "0");
}

test("an id is its kind's prefix and a UUIDv7 of its moment in base32", () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.integer({ min: 0, max: 2 ** 48 - 1 }), (kind, now) => {
      const id = createId(kind, now);
      assert.match(id, new RegExp(`^${prefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
      const uuid = toUuid(id);
      assert.equal(Number.parseInt(uuid.slice(0, 12), 16), now);
      assert.equal(uuid[12], "7", "version");
      assert.match(uuid[16] ?? "", /[89ab]/, "variant");
      assert.ok(isId(kind, id));
      assert.ok(new RegExp(idPattern(kind)).test(id));
    }),
  );
});

test("an id or a pattern of one kind alone is that of all kinds", () => {
  assert.ok(isId("submission", createSubmissionId(0)));
  assert.equal(createSubmissionId(2 ** 40).slice(0, 14), createId("submission", 2 ** 40).slice(0, 14));
  assert.equal(formIdPattern(), idPattern("form"));
});

test("without a moment an id takes the present one", () => {
  const before = Date.now();
  const moment = Number.parseInt(toUuid(createId("submission")).slice(0, 12), 16);
  assert.ok(moment >= before && moment <= Date.now());
});

test("ids sort as text by the millisecond they were made in", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 48 - 2 }),
      fc.integer({ min: 1, max: 2 ** 40 }),
      (earlier, difference) => {
        const later = Math.min(earlier + difference, 2 ** 48 - 1);
        assert.ok(createId("form", earlier) < createId("form", later));
      },
    ),
  );
});

test("ten thousand ids of one millisecond are all different", () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => createId("submission", 1_704_067_200_000)));
  assert.equal(ids.size, 10_000);
});

test("all 74 random bits of an id vary", () => {
  let ever = 0n;
  let always = (1n << 128n) - 1n;
  for (let round = 0; round < 200; round++) {
    const bits = BigInt(`0x${toUuid(createId("form", 0))}`);
    ever |= bits;
    always &= bits;
  }
  const varying = (ever & ~always).toString(2).replaceAll("0", "").length;
  assert.equal(varying, 74);
});

test("an id of one kind is not an id of another", () => {
  for (const kind of kinds) for (const other of kinds) assert.equal(isId(other, createId(kind)), kind === other);
});

test("what only looks like an id is refused", () => {
  const good = "form_01hk153x00e5rbcwg8rxcnh8w4";
  assert.ok(isId("form", good));
  const suffix = good.slice(5);
  const refused: unknown[] = [
    "",
    "form",
    "form_",
    suffix,
    `${good}\n`,
    `\n${good}`,
    ` ${good}`,
    `${good} `,
    `${good}0`,
    good.slice(0, -1),
    good.toUpperCase(),
    `Form_${suffix}`,
    `form-${suffix}`,
    `form__${suffix}`,
    `xform_${suffix}`,
    `form_8${suffix.slice(1)}`,
    `form_z${suffix.slice(1)}`,
    ...["i", "l", "o", "u", "A", "é", "\0", "/", "'", "%"].map((character) => good.slice(0, -1) + character),
    `form_${suffix.slice(0, -3)}../`,
    null,
    undefined,
    1,
    true,
    [good],
    { toString: () => good },
    new Uint8Array(31),
  ];
  for (const value of refused) assert.equal(isId("form", value), false, JSON.stringify(value));
});
