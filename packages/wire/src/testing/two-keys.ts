import type { Bytes } from "../bytes.ts";

/**
 * One AES-GCM ciphertext that opens under two keys, as a hostile sealer makes it (Grubbs, Lu, Ristenpart: *Message Franking via
 * Committing Authenticated Encryption*, 2017): the tag is linear in the ciphertext, so anyone who knows both keys solves for it.
 */
export interface GcmKey {
  /** The masks of the blocks: the first is that of the tag. */
  readonly stream: Bytes;
  /** GHASH's key. */
  readonly hash: bigint;
}

/** The masks and the hash key of a key and an iv, for so many bytes. */
export async function gcmKeyOf(key: Bytes, iv: Bytes, length: number): Promise<GcmKey> {
  const aes = await crypto.subtle.importKey("raw", key, "AES-CTR", false, ["encrypt"]);
  const encrypt = async (counter: Bytes, bytes: number) =>
    new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CTR", counter, length: 32 }, aes, new Uint8Array(bytes)));
  const first = Uint8Array.from([...iv, 0, 0, 0, 1]);
  return {
    stream: await encrypt(first, 16 + length),
    hash: toNumber(await encrypt(new Uint8Array(16), 16)),
  };
}

/** The tag by the letter of NIST SP 800-38D. */
export function tagOf({ stream, hash }: GcmKey, additionalData: Bytes, ciphertext: Bytes): bigint {
  let sum = 0n;
  for (const block of hashedBlocks(additionalData, ciphertext)) sum = multiply(sum ^ block, hash);
  return sum ^ toNumber(stream.subarray(0, 16));
}

/** By how much the two tags differ more when this bit of the ciphertext, counted from its first byte's highest, is turned over. */
export function createDifference(one: GcmKey, other: GcmKey, blocks: number): (bit: number) => bigint {
  const powers = [one, other].map(({ hash }) => {
    // The block before the last, which has the lengths, is multiplied twice.
    const list = [multiply(hash, hash)];
    for (let index = 1; index < blocks; index++) list.push(multiply(list[index - 1] ?? 0n, hash));
    return list;
  });
  return (bit) => {
    const power = (list: readonly bigint[] | undefined) => list?.[blocks - 1 - (bit >> 7)] ?? 0n;
    return multiply(1n << BigInt(127 - (bit & 127)), power(powers[0]) ^ power(powers[1]));
  };
}

/** Which of `columns` add up to `target`. */
export function solve(columns: readonly bigint[], target: bigint): readonly number[] {
  const rows = new Map<number, { value: bigint; parts: bigint }>();
  const reduce = (value: bigint, parts: bigint) => {
    let rest = { value, parts };
    while (rest.value !== 0n) {
      const found = rows.get(rest.value.toString(2).length);
      if (found === undefined) return rest;
      rest = { value: rest.value ^ found.value, parts: rest.parts ^ found.parts };
    }
    return rest;
  };
  for (const [index, column] of columns.entries()) {
    const rest = reduce(column, 1n << BigInt(index));
    if (rest.value !== 0n) rows.set(rest.value.toString(2).length, rest);
  }
  const { value, parts } = reduce(target, 0n);
  if (value !== 0n) throw new Error("Too few bits are free");
  return [...columns.keys()].filter((index) => (parts >> BigInt(index)) & 1n);
}

export function toNumber(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

export function toBlock(number: bigint): Bytes {
  return Uint8Array.from({ length: 16 }, (_, index) => Number((number >> BigInt(8 * (15 - index))) & 255n));
}

function hashedBlocks(additionalData: Bytes, ciphertext: Bytes): readonly bigint[] {
  const blocks = [additionalData, ciphertext].flatMap((bytes) =>
    Array.from({ length: Math.ceil(bytes.length / 16) }, (_, index) => {
      const block = new Uint8Array(16);
      block.set(bytes.subarray(16 * index, 16 * (index + 1)));
      return toNumber(block);
    }),
  );
  return [...blocks, (BigInt(additionalData.length * 8) << 64n) | BigInt(ciphertext.length * 8)];
}

/** In GCM's field, whose highest bit is the lowest power. */
function multiply(left: bigint, right: bigint): bigint {
  let product = 0n;
  let shifted = right;
  for (let bit = 127n; bit >= 0n; bit--) {
    if ((left >> bit) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ (0xe1n << 120n) : shifted >> 1n;
  }
  return product;
}
