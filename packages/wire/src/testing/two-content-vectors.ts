import { decryptGcm } from "../aes-gcm.ts";
import type { Bytes } from "../bytes.ts";
import { additionalData, type Fields } from "../payload.ts";
import { deriveByHand, drawFor, foreignHybridSeal } from "./foreign-hybrid-seal.ts";
import { binding, derive, type OpeningVector } from "./opening-vectors.ts";
import { sealTwoObjects } from "./two-contents.ts";
import { hybridVectorKeys } from "./vector-keys.ts";

/** A sealer who chose two content keys: one iv and one `data`, which AES-GCM takes under both. Which pairs there are was found by trying. */
export async function twoContentVectors(): Promise<readonly OpeningVector[]> {
  return [
    ...(await twoContents("hybrid: one data for two content keys", [2269, 2629], 74, false)),
    ...(await twoContents("hybrid: one data for two content keys, as in the draft before", [638, 1519], 81, true)),
  ];
}

async function twoContents(
  name: string,
  numbers: readonly [number, number],
  length: number,
  isUncommitted: boolean,
): Promise<readonly OpeningVector[]> {
  const iv = await derive("iv", name, 12);
  const bound = additionalData(binding, "sp2");
  const keyOf = (number: number) => derive("content key", `${name}: ${number}`, 32);
  const [one, other] = [await keyOf(numbers[0]), await keyOf(numbers[1])];
  const cipherKeyOf = async (contentKey: Bytes) =>
    isUncommitted ? contentKey : (await deriveByHand({ contentKey, iv, bound })).cipherKey;
  const pair = [await cipherKeyOf(one), await cipherKeyOf(other)] as const;
  const ciphertext = await sealTwoObjects(pair, iv, bound, length);
  const plaintext = await decryptGcm(pair[0], iv, ciphertext, bound);
  const seal = async (contentKey: Bytes, which: string): Promise<OpeningVector> => ({
    name: `${name}: ${which}`,
    ...binding,
    keys: [{ name: "hybrid first", formId: binding.formId, keyVersion: binding.keyVersion }],
    payload: await foreignHybridSeal(binding, hybridVectorKeys["hybrid first"].publicKey, {
      ...{ plaintext, contentKey, iv, ciphertext, isUncommitted },
      committed: { contentKey: one },
      drawn: (await drawFor(`${name}: ${which}`)).drawn,
    }),
    outcome: "could_not_be_opened",
  });
  const fields: Fields = JSON.parse(new TextDecoder().decode(plaintext));
  const first = await seal(one, "the first");
  return [isUncommitted ? first : { ...first, outcome: "opened", fields }, await seal(other, "the second")];
}
