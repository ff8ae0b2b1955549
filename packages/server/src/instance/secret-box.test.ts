import assert from "node:assert/strict";
import { test } from "node:test";
import { onEither } from "../testing/test-database.ts";
import { keyPurposes, type SealPurpose, type SignPurpose } from "./key-purposes.ts";
import { createKeyRing, MissingSecretError } from "./key-ring.ts";
import { createSecretBox, keyCheckOf, sealedPrefix } from "./secret-box.ts";

const [first, second] = [1, 2].map((number) => ({ number, secret: new Uint8Array(32).fill(number) }));
assert.ok(first && second);
const old = createSecretBox(createKeyRing([first], 1));
const both = createSecretBox(createKeyRing([first, second], 2));
const alone = createSecretBox(createKeyRing([second], 2));

const namesOf = (...kinds: readonly string[]) =>
  Object.entries(keyPurposes).flatMap(([name, { kind }]) => (kinds.includes(kind) ? [name] : []));
const sealPurposes = namesOf("columns", "cookie") as SealPurpose[]; // by their kinds
const signPurposes = namesOf("signature") as SignPurpose[]; // as above

for (const purpose of sealPurposes)
  test(
    `what is sealed for ${purpose} opens for nothing else, under no other number, and says which key it needs`,
    onEither,
    () => {
      const sealed = old.sealer(purpose).seal("text", "row/1");
      assert.ok(sealed.startsWith(sealedPrefix(1)));
      assert.equal(both.sealer(purpose).open(sealed, "row/1"), "text");
      assert.throws(() => alone.sealer(purpose).open(sealed, "row/1"), MissingSecretError);
      assert.throws(() => both.sealer(purpose).open(sealed, "row/2"));
      assert.throws(() => both.sealer(purpose).open(sealed.replace(sealedPrefix(1), sealedPrefix(2)), "row/1"));
      for (const other of sealPurposes)
        if (other !== purpose) assert.throws(() => both.sealer(other).open(sealed, "row/1"), other);

      const again = both.sealer(purpose).sealAgain(sealed, "row/1");
      assert.ok(again.startsWith(sealedPrefix(2)));
      assert.equal(alone.sealer(purpose).open(again, "row/1"), "text");
      assert.equal(both.sealer(purpose).sealAgain(sealed, "row/1"), again, "two processes make the same of it");
      assert.equal(both.sealer(purpose).sealAgain(again, "row/1"), again);
    },
  );

test("no two purposes have the same key, and none is that of another secret", onEither, () => {
  const keys = [
    ...signPurposes.flatMap((purpose) => both.signingKeys(purpose).map((key) => key.toString("base64"))),
    ...both.libraryKeys().map(({ value }) => value),
  ];
  assert.equal(keys.length, 2 * (signPurposes.length + 1));
  assert.equal(new Set(keys).size, keys.length);
  assert.notEqual(keyCheckOf(first.secret), keyCheckOf(second.secret));
});
