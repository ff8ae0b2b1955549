import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "./base64.ts";
import { decodeSealed } from "./native-base64.ts";

const bytes = () => fc.uint8Array({ maxLength: 200 });

test("base64 gives the values of RFC 4648 section 10", () => {
  const table = { "": "", f: "Zg==", fo: "Zm8=", foo: "Zm9v", foob: "Zm9vYg==", fooba: "Zm9vYmE=", foobar: "Zm9vYmFy" };
  for (const [text, encoded] of Object.entries(table)) {
    assert.equal(encodeBase64(new TextEncoder().encode(text)), encoded);
    assert.deepEqual(decodeBase64(encoded), new TextEncoder().encode(text));
  }
});

test("base64 and base64url return any bytes as they were", () => {
  fc.assert(
    fc.property(bytes(), (value) => {
      assert.deepEqual(decodeBase64(encodeBase64(value)), Uint8Array.from(value));
      assert.deepEqual(decodeSealed(encodeBase64(value)), Uint8Array.from(value));
      assert.deepEqual(decodeBase64Url(encodeBase64Url(value)), Uint8Array.from(value));
    }),
  );
});

test("a megabyte is encoded and decoded", () => {
  const megabyte = Uint8Array.from({ length: 2 ** 20 + 1 }, (_, index) => (index * 7) % 256);
  const decoded = decodeBase64(encodeBase64(megabyte));
  assert.equal(decoded?.length, megabyte.length);
  assert.ok(decoded?.every((byte, index) => byte === megabyte[index]));
});

test("no two texts mean the same bytes: whatever decodes is what encoding gives", () => {
  const alphabet = "ABYZabyz0189+/=-_ \n";
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 12 }), (text) => {
      const decoded = decodeBase64(text);
      if (decoded !== undefined) assert.equal(encodeBase64(decoded), text);
      assert.deepEqual(decodeSealed(text), decoded);
      const decodedUrl = decodeBase64Url(text);
      if (decodedUrl !== undefined) assert.equal(encodeBase64Url(decodedUrl), text);
    }),
    { numRuns: 2000 },
  );
});

test("base64 refuses white space, missing or misplaced padding, stray bits and the url alphabet", () => {
  const refused = {
    "white space": [" Zg==", "Zg== ", "Zg==\n", "Zm9v\nYmFy", "Zm 9v", "\tZm9", "    "],
    "missing padding": ["Zg", "Zg=", "Zm8", "Zm9vYg"],
    "misplaced padding": ["====", "=Zg=", "Z===", "Zg==Zg==", "Zm9v====", "Zg=a"],
    "stray bits": ["Zh==", "Zn==", "Zo==", "Zm9=", "Zm8vYmF=", "Zm9vYh=="],
    "the url alphabet": ["-_-_", "Zm-v", "Zm_v"],
    "other characters": ["Zm9\u0000", "Zm9é", "Zm9😀", "%m9v", "Zm9v\u00a0\u00a0\u00a0\u00a0"],
  };
  for (const [reason, texts] of Object.entries(refused)) {
    for (const text of texts)
      for (const decode of [decodeBase64, decodeSealed])
        assert.equal(decode(text), undefined, `${decode.name}, ${reason}: ${JSON.stringify(text)}`);
  }
});

test("base64url refuses padding, the standard alphabet, white space, stray bits and impossible lengths", () => {
  for (const text of ["Zg==", "Zm8=", "+/+/", "Zm 9", "Zg\n", "Zh", "Zm9", "A", "Zm9vY", "é"])
    assert.equal(decodeBase64Url(text), undefined, JSON.stringify(text));
});
