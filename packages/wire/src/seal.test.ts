import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBase64 } from "./base64.ts";
import { createFileKey } from "./file.ts";
import { toFileField } from "./file-field.ts";
import { createId } from "./ids.ts";
import { open } from "./open.ts";
import type { Fields } from "./payload.ts";
import { seal } from "./seal.ts";
import { sealHybrid } from "./seal-hybrid.ts";
import { binding } from "./testing/opening-vectors.ts";
import { anyKem, hybridVectorKeys, importVectorKey, vectorKeys } from "./testing/vector-keys.ts";

const { publicKey } = vectorKeys.first;
const openingKey = importVectorKey("first");

async function openAgain(fields: Fields): Promise<unknown> {
  const payload = await seal(fields, binding, publicKey);
  return open({ ...binding, payload }, [await openingKey]);
}

test("a sealed payload has exactly the members of the contract", async () => {
  const payload = await seal({ email: "ada@example.com" }, binding, publicKey);
  assert.deepEqual(Object.keys(payload).sort(), ["data", "encrypted", "iv", "key", "version"]);
  assert.equal(payload.encrypted, true);
  assert.equal(payload.version, "sp1");
  assert.equal(decodeBase64(payload.iv)?.length, 12);
  assert.equal(decodeBase64(payload.key)?.length, 384);
  assert.equal(decodeBase64(payload.data)?.length, 1024 + 16);
});

test("what was sealed opens unchanged: Unicode, names that objects already have, nothing, 100 KB", async () => {
  const cases: Fields[] = [
    {},
    { "": "" },
    { name: "Zoë 😀 שלום 日本語 \u0000\u2028\ufeff" },
    JSON.parse('{"__proto__":"a","constructor":"b","toString":"c","length":"d","valueOf":"e","hasOwnProperty":"f"}'),
    JSON.parse('{"__proto__":{"admin":true}}'),
    { length: "0", toJSON: "text", valueOf: "text" },
    JSON.parse('{"then":"text"}'),
    { topics: ["a", "b", ""], deep: { list: [null, true, -1.5, { "\n": [] }] } },
    { text: "é".repeat(51_200) },
    Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field ${index}`, `${index}`])),
  ];
  for (const fields of cases) assert.deepEqual(await openAgain(fields), { opened: true, fields });
});

test("halves of surrogate pairs are sealed as U+FFFD, in names too, and no name occurs twice", async () => {
  const fields = {
    "\ud800": "1",
    "\udfff": "2",
    text: "a\ud83d",
    pair: "\ud83d\ude00",
    typed: "\\ud800",
    list: ["\udc00"],
  };
  const wellFormed = { "\ufffd": "2", text: "a\ufffd", pair: "😀", typed: "\\ud800", list: ["\ufffd"] };
  assert.deepEqual(await openAgain(fields), { opened: true, fields: wellFormed });
});

test("fields are sealed up to 64 levels deep, and refused before anything is encrypted when deeper", async () => {
  const nested = (levels: number): Fields => (levels === 1 ? {} : { a: nested(levels - 1) });
  assert.deepEqual(await openAgain(nested(64)), { opened: true, fields: nested(64) });
  await assert.rejects(seal(nested(65), binding, publicKey), TypeError);
});

test("a program seals no name of ours, and a value whose one member begins with a dollar sign only as a file", async () => {
  const refused: readonly Fields[] = [
    { $sealpost: "typed" },
    { a: "b", $sealpost: {} },
    { $sealposted: 1 },
    { $$sealpost: "c" },
    { a: { $file: "b" } },
    { a: [{ $file: { id: "fil_1", format: "spf1" } }] },
    { a: { b: { $oid: "c" } } },
    { a: { $: null } },
  ];
  for (const fields of refused) {
    await assert.rejects(seal(fields, binding, publicKey), TypeError, JSON.stringify(fields));
    await assert.rejects(sealHybrid(fields, binding, hybridVectorKeys["hybrid first"].publicKey, anyKem), TypeError);
  }
  const { formId, submissionId } = binding;
  const file = { formId, submissionId, fileId: createId("file"), key: createFileKey(), size: 3 };
  const taken: readonly Fields[] = [
    { $price: "1", $file: "a", $: "b", $Sealpost: "c", a$sealpost: "d", sealpost: {} },
    ...[{ $price: "1" }, { $file: "a" }, { $: { b: 1 } }],
    { a: { $sealpost: 1, b: 2 }, c: { $file: 1, $name: 2 }, d: { $sealpost: "e", $: {} } },
    { photo: toFileField(file, { name: "a.jpg", type: "" }), all: [toFileField(file, { name: "", type: "" })] },
  ];
  for (const fields of taken) assert.deepEqual(await openAgain(fields), { opened: true, fields });
});

test("a number that JSON does not have is refused, and nothing takes its place", async () => {
  for (const number of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    await assert.rejects(seal({ a: [{ b: number }] }, binding, publicKey), TypeError);
});

test("what is looked at is what is sealed, whatever JavaScript makes of a value in between", async () => {
  const as = (value: unknown) => ({ toJSON: () => value });
  const refused: readonly unknown[] = [
    as({ $sealpost: {} }),
    { a: as({ $file: {} }) },
    { a: { $file: {}, more: undefined } },
    { a: { $x: 1, more: () => 1 } },
    { a: as(Number.NaN) },
    { a: Object(Number.POSITIVE_INFINITY) },
    { a: Array.from({ length: 100_000 }).reduce((inner) => [inner], 1) },
    ...[as("text"), as([1]), as(null), as(undefined), "text"],
    { a: 1n },
  ];
  for (const fields of refused) await assert.rejects(seal(fields as Fields, binding, publicKey), TypeError);
  let reads = 0;
  const changing = {
    get a() {
      reads += 1;
      return reads === 1 ? "first" : { $sealpost: {} };
    },
  };
  assert.deepEqual(await openAgain(changing as Fields), { opened: true, fields: { a: "first" } });
  const sent = new Date(0);
  const given: unknown = { a: sent, b: undefined, c: { $d: as({ e: 1, f: 2 }), g: 1 } };
  const fields = { a: sent.toJSON(), c: { $d: { e: 1, f: 2 }, g: 1 } };
  assert.deepEqual(await openAgain(given as Fields), { opened: true, fields });
});

test("a field called __proto__ becomes a field and no prototype", async () => {
  const payload = await seal(JSON.parse('{"__proto__":{"admin":true}}'), binding, publicKey);
  const opened = await open({ ...binding, payload }, [await openingKey]);
  assert.ok(opened.opened);
  assert.ok(Object.hasOwn(opened.fields, "__proto__"));
  assert.equal(Reflect.get(opened.fields, "admin"), undefined);
});

test("any object of JSON values opens unchanged", async () => {
  const anyText = fc.string({ unit: "binary" });
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.oneof(anyText, fc.constantFrom("__proto__", "toString", "length")), fc.jsonValue()),
      async (value) => {
        // A single member that begins with a dollar sign would be ours.
        const fields: Fields = JSON.parse(JSON.stringify(value).replaceAll('"$', '"_'));
        assert.deepEqual(await openAgain(fields), { opened: true, fields });
      },
    ),
    { numRuns: 60 },
  );
});

test("fields come back in the order they were sealed in", async () => {
  const payload = await seal({ zebra: "1", apple: "2", mango: "3" }, binding, publicKey);
  const opened = await open({ ...binding, payload }, [await openingKey]);
  assert.ok(opened.opened);
  assert.deepEqual(Object.keys(opened.fields), ["zebra", "apple", "mango"]);
});

test("the size of the sealed data says nothing but the padded size", async () => {
  const sizes = new Set<number>();
  for (const length of [0, 1, 100, 1000]) {
    const { data } = await seal({ text: "x".repeat(length) }, binding, publicKey);
    sizes.add(data.length);
  }
  assert.equal(sizes.size, 1);
});

test("nothing typed is readable in the payload", async () => {
  const payload = JSON.stringify(await seal({ email: "ada@example.com" }, binding, publicKey));
  for (const word of ["ada@example", "example", btoa("ada@example.com")]) assert.ok(!payload.includes(word), word);
});

test("no key that is not an RSA key seals anything", async () => {
  const broken = [
    { ...publicKey, n: "" },
    { ...publicKey, kty: "EC" },
    { kty: "RSA", e: "AQAB" },
  ];
  for (const key of broken) {
    const sealed = await seal({ a: "b" }, binding, key as unknown as typeof publicKey).then(
      () => true,
      () => false,
    );
    assert.equal(sealed, false);
  }
});

test("ten thousand seals repeat no iv and no content key, and each draws exactly 44 random bytes", async () => {
  const rounds = 10_000;
  const original = crypto.getRandomValues;
  const contentKeys = new Set<string>();
  const ivs = new Set<string>();
  let drawn = 0;
  // The real source, watched: nothing that it returns is changed.
  crypto.getRandomValues = <Target extends ArrayBufferView | null>(target: Target): Target => {
    if (!(target instanceof Uint8Array)) throw new TypeError("seal draws bytes");
    original.call(crypto, target as Uint8Array<ArrayBuffer>); // memory of its own, not shared, or this throws
    drawn += target.length;
    if (target.length === 32) contentKeys.add(target.join());
    return target;
  };
  try {
    for (let round = 0; round < rounds; round += 20) {
      const batch = await Promise.all(
        Array.from({ length: 20 }, () => seal({ a: "b" }, binding, vectorKeys.small.publicKey)),
      );
      for (const { iv } of batch) ivs.add(iv);
    }
  } finally {
    crypto.getRandomValues = original;
  }
  assert.equal(ivs.size, rounds);
  assert.equal(contentKeys.size, rounds);
  assert.equal(drawn, rounds * 44);
});
