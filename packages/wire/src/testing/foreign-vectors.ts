import { pad } from "../padding.ts";
import type { Fields } from "../payload.ts";
import { type Deviation, foreignSeal } from "./foreign-seal.ts";
import { binding, derive, type OpeningVector } from "./opening-vectors.ts";
import { vectorKeys } from "./vector-keys.ts";

/** Payloads of another sealer: well encrypted, bound and addressed, and unlike what ours would write. */
interface Foreign extends Partial<Deviation> {
  /** The expected fields; absent where it must not open. */
  readonly fields?: Fields;
  readonly keys?: OpeningVector["keys"];
  /** Further members of the payload. */
  readonly more?: Readonly<Record<string, unknown>>;
}

const text = (value: string) => new TextEncoder().encode(value);
const json = (value: string): Pick<Deviation, "plaintext"> => ({ plaintext: pad(text(value)) });

/** vectors/foreign.json: openers that differ in these would read differently from others, or not at all. */
export async function foreignVectors(): Promise<readonly OpeningVector[]> {
  const vectors: OpeningVector[] = [];
  for (const [name, { fields, keys, more, ...deviation }] of Object.entries({ ...opened(), ...notOpened() })) {
    const contentKey = await derive("content key", name, 32);
    const iv = await derive("iv", name, 12);
    const usual = { ...json('{"a":"b"}'), contentKey, iv };
    const payload = await foreignSeal(binding, vectorKeys.first.publicKey, { ...usual, ...deviation });
    vectors.push({
      name,
      ...binding,
      keys: keys ?? [{ name: "first", formId: binding.formId, keyVersion: binding.keyVersion }],
      payload: { ...payload, ...more },
      ...(fields === undefined ? { outcome: "could_not_be_opened" } : { outcome: "opened", fields }),
    });
  }
  return vectors;
}

function opened(): Record<string, Foreign> {
  const ab = { fields: { a: "b" } };
  return {
    "a member more in the payload": { ...ab, more: { alg: "none", plaintext: "{}" } },
    "plaintext without padding": { ...ab, plaintext: text('{"a":"b"}') },
    "plaintext padded to another size": { ...ab, plaintext: text('{"a":"b"}'.padEnd(1025)) },
    "plaintext padded with tabs and line breaks": { ...ab, plaintext: text('{"a":"b"}'.padEnd(1024, "\t\r\n")) },
    "plaintext after white space": { ...ab, plaintext: text('\r\n\t {"a":"b"}'.padEnd(1024)) },
    "plaintext with white space inside": { ...ab, ...json('{ "a" :\n\t"b" }') },
    "a name twice: the last value counts": { fields: { a: "last" }, ...json('{"a":"first","a":"last"}') },
    "everything written as escapes": { ...ab, ...json('{"\\u0061":"\\u0062"}') },
    "letters in several forms of Unicode": {
      fields: { "e\u0301": "A\u030a", "\u00e9": "\u212b\ufb01" },
      ...json('{"e\u0301":"A\u030a","\u00e9":"\u212b\ufb01"}'),
    },
    "nested 64 levels deep": { fields: { a: nested(63) }, ...json(`{"a":${deep(63)}}`) },
    "nested 64 levels deep, in objects": { fields: nestedObjects(64), ...json(deepObjects(64)) },
    "wide, not deep": {
      fields: { a: Array.from({ length: 100 }, () => []) },
      ...json(`{"a":[${"[],".repeat(99)}[]]}`),
    },
    "brackets in a text": { fields: { a: "[{".repeat(50) }, ...json(`{"a":"${"[{".repeat(50)}"}`) },
    "brackets after an escaped quote": {
      fields: { a: `"${"[".repeat(100)}\\` },
      ...json(`{"a":"\\"${"[".repeat(100)}\\\\"}`),
    },
  };
}

function notOpened(): Record<string, Foreign> {
  return {
    "nested 65 levels deep": json(`{"a":${deep(64)}}`),
    "nested 65 levels deep, in objects": json(deepObjects(65)),
    "nested 10,000 levels deep": json(`{"a":${deep(10_000)}}`),
    "plaintext with NaN": json('{"a":NaN}'),
    "plaintext with Infinity": json('{"a":-Infinity}'),
    "plaintext with a number that begins with zero": json('{"a":01}'),
    "plaintext with a number that ends with its point": json('{"a":1.}'),
    "plaintext with a plus sign": json('{"a":+1}'),
    "plaintext with a hexadecimal number": json('{"a":0x1}'),
    "plaintext with a comment": json('{"a":"b"/* c */}'),
    "plaintext with a comma too much": json('{"a":"b",}'),
    "plaintext with single quotes": json("{'a':'b'}"),
    "plaintext with a name without quotes": json('{a:"b"}'),
    "plaintext with a control character in a string": json('{"a":"b\tc"}'),
    "plaintext with an unknown escape": json('{"a":"\\x62"}'),
    "plaintext with a zero byte behind it": json('{"a":"b"}\0'),
    "plaintext with a no-break space behind it": json('{"a":"b"}\u00a0'),
    "plaintext a UTF-8 surrogate": {
      plaintext: pad(new Uint8Array([...text('{"a":"'), 0xed, 0xa0, 0x80, ...text('"}')])),
    },
    "plaintext an overlong character": {
      plaintext: pad(new Uint8Array([...text('{"a":"'), 0xc1, 0xa2, ...text('"}')])),
    },
    "OAEP with SHA-256, its MGF1 with SHA-1": { padding: "oaep with MGF1 of SHA-1" },
    "a key of this version that does not fit, beside an unlabelled one that would": {
      keys: [{ name: "second", formId: binding.formId, keyVersion: 1 }, { name: "first" }],
    },
  };
}

/** Arrays in each other, as text; `levels` brackets. */
function deep(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

function nested(levels: number): Fields[string] {
  return levels === 1 ? [] : [nested(levels - 1)];
}

function deepObjects(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
}

function nestedObjects(levels: number): Fields {
  return levels === 1 ? {} : { a: nestedObjects(levels - 1) };
}
