import { pad } from "../padding.ts";
import type { Fields } from "../payload.ts";
import { type Deviation, foreignSeal } from "./foreign-seal.ts";
import { binding, derive, type OpeningVector } from "./opening-vectors.ts";
import { vectorKeys } from "./vector-keys.ts";

/** Payloads of another sealer: well encrypted, bound and addressed, and unlike what ours would write. */
interface Foreign extends Partial<Deviation> {
  /** The expected fields; absent where it must not open, and where `text` says them. */
  readonly fields?: Fields;
  readonly text?: string;
  readonly sealpost?: Fields;
  readonly keys?: OpeningVector["keys"];
  /** Further members of the payload. */
  readonly more?: Readonly<Record<string, unknown>>;
}

const text = (value: string) => new TextEncoder().encode(value);
const json = (value: string): Pick<Deviation, "plaintext"> => ({ plaintext: pad(text(value)) });

/** vectors/foreign.json: openers that differ in these would read differently from others, or not at all. */
export async function foreignVectors(): Promise<readonly OpeningVector[]> {
  const vectors: OpeningVector[] = [];
  for (const [name, { fields, text, sealpost, keys, more, ...deviation }] of Object.entries({
    ...opened(),
    ...numbers(),
    ...ourName(),
    ...notOpened(),
  })) {
    const contentKey = await derive("content key", name, 32);
    const iv = await derive("iv", name, 12);
    const usual = { ...json('{"a":"b"}'), contentKey, iv };
    const payload = await foreignSeal(binding, vectorKeys.first.publicKey, { ...usual, ...deviation });
    vectors.push({
      name,
      ...binding,
      keys: keys ?? [{ name: "first", formId: binding.formId, keyVersion: binding.keyVersion }],
      payload: { ...payload, ...more },
      outcome: (fields ?? text) === undefined ? "could_not_be_opened" : "opened",
      ...(fields && { fields }),
      ...(text && { text }),
      ...(sealpost && { sealpost }),
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
    "nested 64 levels deep where a later member replaces it": {
      fields: { a: "last" },
      ...json(`{"a":${deep(63)},"a":"last"}`),
    },
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

/** Numbers as text: no two languages hold the same ones. */
function numbers(): Record<string, Foreign> {
  const written = (value: string, text = value): Foreign => ({ text, ...json(value) });
  return {
    "numbers that a double can't hold": written(
      '{"whole":9007199254740993,"large":1e400,"small":0.1000000000000000055511151231257827,"least":-1e-400}',
    ),
    "numbers that languages write otherwise": written('{"a":1.0,"b":-0,"c":1E+2,"d":1e2,"e":0.10,"f":-0.0e-0}'),
    "numbers in lists and objects": written('{"list":[1,[12345678901234567890123]],"object":{"a":{"b":2.50}}}'),
    "a number of 5,000 digits": written(`{"a":${"7".repeat(5000)}}`),
    "numbers between white space": written('{ "a" : [ 1.0 ,\n2 ] }', '{"a":[1.0,2]}'),
    "a number whose name comes twice": written('{"a":1e400,"a":2.0}', '{"a":2.0}'),
    "numbers and texts that look like some": written('{"a":"1e400","b\\"1.0":"\\\\\\"2.0","c":3.0}'),
  };
}

function ourName(): Record<string, Foreign> {
  return {
    "an answer called $sealpost, a text": { fields: { $sealpost: "typed" }, ...json('{"$sealpost":"typed"}') },
    "an answer called $sealpost, a list": {
      fields: { a: "b", $sealpost: [{ a: "b" }] },
      ...json('{"a":"b","$sealpost":[{"a":"b"}]}'),
    },
    "an answer called $sealpost, nothing": { fields: { $sealpost: null }, ...json('{"$sealpost":null}') },
    "$sealpost as an object is ours": {
      fields: { a: "b" },
      sealpost: { form: "1" },
      ...json('{"a":"b","$sealpost":{"form":"1"}}'),
    },
    "$sealpost as an empty object": { fields: {}, sealpost: {}, ...json('{"$sealpost":{}}') },
    "$sealpost next to a number that a double can't hold": {
      text: '{"a":1e400}',
      sealpost: { a: 1 },
      ...json('{"$sealpost":{"a":1},"a":1e400}'),
    },
    "$sealpost twice, last as a text": {
      fields: { $sealpost: "typed" },
      ...json('{"$sealpost":{"a":"b"},"$sealpost":"typed"}'),
    },
    "other names that begin with a dollar sign": {
      fields: {
        $$sealpost: { a: "b" },
        $price: "1",
        $file: "c",
        $sealpost2: { a: "b" },
        $Sealpost: {},
        a: { $sealpost: {} },
      },
      ...json(
        '{"$$sealpost":{"a":"b"},"$price":"1","$file":"c","$sealpost2":{"a":"b"},"$Sealpost":{},"a":{"$sealpost":{}}}',
      ),
    },
  };
}

function notOpened(): Record<string, Foreign> {
  return {
    "nested 71 levels deep where a later member replaces it": json(`{"a":${deep(70)},"a":1}`),
    "nested 71 levels deep after an escaped backslash": json(`{"a":"\\\\","b":${deep(70)}}`),
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
