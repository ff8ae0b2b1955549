import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createApiKeyValue, hashApiKeyValue, parseApiKeyValue, prefixOf } from "./api-key-value.ts";

test("a fresh value has the documented form and is accepted unchanged", () => {
  const values = Array.from({ length: 1000 }, createApiKeyValue);
  for (const value of values) {
    assert.match(value, /^sp_[0-9A-Za-z]{36}$/);
    assert.equal(parseApiKeyValue(value), value);
  }
  assert.equal(new Set(values).size, values.length);
  // Every character of the alphabet turns up: 30,000 draws miss one of 62 less than once in 10^200 runs.
  assert.equal(new Set(values.join("").replaceAll("sp_", "")).size, 62);
});

test("a value made by another program from the same rule is taken", () => {
  // CRC-32 (zlib's) of "sp_" and thirty zeros is 3657961344; in base62 with 0-9A-Za-z and six digits: 3zYQqW.
  const body = `sp_${"0".repeat(30)}`;
  assert.equal(crc32(body), 3657961344);
  assert.equal(parseApiKeyValue(`${body}3zYQqW`), `${body}3zYQqW`);
});

test("a value with any one character changed is refused by its checksum", () => {
  const value = createApiKeyValue();
  for (let index = 0; index < value.length; index++) {
    for (const other of ["0", "z", "_"]) {
      if (value[index] === other) continue;
      const changed = `${value.slice(0, index)}${other}${value.slice(index + 1)}`;
      assert.equal(parseApiKeyValue(changed), undefined, changed);
    }
  }
});

test("a value that is too short, too long, or in other clothes is refused", () => {
  const value = createApiKeyValue();
  for (const text of ["", "sp_", value.slice(0, -1), `${value}0`, ` ${value}`, `${value}\n`, value.toUpperCase()]) {
    assert.equal(parseApiKeyValue(text), undefined, JSON.stringify(text));
  }
});

test("what is stored is the SHA-256 of the whole value, and what is shown its first ten characters", () => {
  const value = createApiKeyValue();
  assert.equal(hashApiKeyValue(value), createHash("sha256").update(value, "utf8").digest("hex"));
  assert.equal(prefixOf(value), value.slice(0, 10));
});

/** CRC-32 bit by bit (ISO 3309), apart from the implementation in use. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
