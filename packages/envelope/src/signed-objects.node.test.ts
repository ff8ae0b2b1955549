import assert from "node:assert/strict";
import { test } from "node:test";
import { extensionCases, withExtensions } from "../../wire/src/testing/extension-cases.ts";
import { type SignedObject, signedObjects, signObject } from "./testing/signed-objects.ts";

// Everything that is signed, whatever it says: what a newer program may add, and what nobody may change.

const objects = await signedObjects();
/** For each try of these an age file is sealed or opened. */
const sealed = new Set(["sealpost-envelope/1", "sealpost-device-heads/1", "sealpost-admission-answer/1"]);

for (const object of objects) {
  const { label, content, others, take, wrong = "not_signed" } = object;
  const line = JSON.stringify(content);

  test(`${label}: extensions are taken, and refused where they must be understood or are written otherwise`, async () => {
    for (const { name, outcome, ...texts } of extensionCases(object.extensionsBytesMax))
      assert.equal(await take(await signObject(object, withExtensions(line, texts))), outcome, name);
  });

  test(`${label}: what must be understood is looked at once the signature was checked`, async () => {
    const critical = withExtensions(line, { extensions: '{"a":1}', critical: '["a"]' });
    assert.equal(await take(await signObject(object, critical)), "unknown_extension");
    assert.equal(await take(await signObject(object, critical, "sealpost-nothing/1")), wrong);
  });

  test(`${label}: no bit at the beginning or the end of a member or of its name may be another`, async () => {
    const lines = await signObject(object);
    assert.equal(await take(lines), "taken", "the control");
    let count = 0;
    for (const index of edgesOf(line))
      for (const bit of sealed.has(label) ? [0] : [0, 1, 2, 3, 4, 5, 6, 7]) {
        const changed = lines.with(index, (lines[index] ?? 0) ^ (1 << bit)) as Uint8Array<ArrayBuffer>;
        assert.notEqual(await take(changed), "taken", `bit ${bit} of ${line.slice(index - 20, index + 20)}`);
        count++;
      }
    assert.ok(count > 50, `${count}`);
  });

  test(`${label}: no member may be that of another one by the same signer, and none is taken in the place of another`, async () => {
    const [own, signature] = split(await signObject(object));
    for (const [name, other] of Object.entries(others)) {
      const honest = await signObject(object, JSON.stringify(other.content));
      assert.equal(await take(honest), other.outcome, name);
      const [theirs, otherSignature] = split(honest);
      for (const lines of [join(own, otherSignature), join(theirs, signature)])
        assert.notEqual(await take(lines), "taken", name);
      const differing = Object.keys(content).filter((key) => !isSame(content[key], other.content[key]));
      assert.ok(differing.length > 0, name);
      for (const key of differing) {
        const mixed = JSON.stringify({ ...content, [key]: other.content[key] });
        assert.notEqual(await take(join(mixed, signature)), "taken", `${name}: ${key}`);
      }
    }
  });

  test(`${label}: a signature of no other kind, and none without a label, is one of this`, async () => {
    for (const other of [...objects.filter((one) => one !== object).map((one) => one.label), ""])
      assert.equal(await take(await signObject(object, undefined, other)), wrong, other);
    for (const other of objects.filter((one) => one !== object))
      assert.equal(await take(await signObject(object, JSON.stringify(other.content))), "malformed", other.label);
  });
}

/** Where names and values begin and end: the first and the last character of each text, number, `null`, `{}` and `[]`. */
function edgesOf(line: string): readonly number[] {
  assert.match(line, /^[\0-\x7fë]+$/);
  const bytes = [...new TextEncoder().encode(line)].map((byte) => String.fromCharCode(byte)).join("");
  const tokens = bytes.matchAll(/"(?:[^"\\]|\\.)*"|[\d]+|null|\{\}|\[\]/g);
  return [...tokens].flatMap(({ index, 0: token }) => {
    const inner = token.startsWith('"') && token.length > 2 ? [index + 1, index + token.length - 2] : [];
    return [index, index + token.length - 1, ...inner];
  });
}

function split(lines: Uint8Array): readonly [line: string, signatureLine: string] {
  const [line = "", signatureLine = ""] = new TextDecoder().decode(lines).split("\n");
  return [line, signatureLine];
}

function join(line: string, signatureLine: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${line}\n${signatureLine}\n`);
}

function isSame(one: SignedObject["content"][string], other: SignedObject["content"][string]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
