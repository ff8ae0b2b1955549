import type { Bytes } from "../bytes.ts";
import { createDifference, type GcmKey, gcmKeyOf, solve, tagOf, toBlock } from "./two-keys.ts";

/** Bytes of a plaintext, of which some bits may be turned over at will: it stays what it is under both keys. */
interface FreePlaintext {
  readonly plaintext: Bytes;
  /** Counted from the first byte's highest. */
  readonly freeBits: readonly number[];
}

/**
 * Ciphertext and tag that open under two keys, to two objects, with a plaintext of so many bytes. Of a million pairs of keys one or two have
 * them; how long a plaintext takes is found by trying.
 */
export async function sealTwoObjects(
  keys: readonly [Bytes, Bytes],
  iv: Bytes,
  additionalData: Bytes,
  length: number,
): Promise<Bytes> {
  const [one, other] = await Promise.all([gcmKeyOf(keys[0], iv, length), gcmKeyOf(keys[1], iv, length)]);
  const masks = one.stream.subarray(16).map((mask, at) => mask ^ (other.stream[16 + at] ?? 0));
  return joinTags(one, other, additionalData, findObjects(masks));
}

/** The same for bytes that may be any: `plaintext` under the first key, but for its last 16 bytes. */
export async function sealTwoFiles(
  keys: readonly [Bytes, Bytes],
  iv: Bytes,
  additionalData: Bytes,
  plaintext: Bytes,
): Promise<Bytes> {
  const { length } = plaintext;
  const [one, other] = await Promise.all([gcmKeyOf(keys[0], iv, length), gcmKeyOf(keys[1], iv, length)]);
  const freeBits = Array.from({ length: 128 }, (_, index) => length * 8 - 128 + index);
  return joinTags(one, other, additionalData, { plaintext, freeBits });
}

function joinTags(one: GcmKey, other: GcmKey, bound: Bytes, { plaintext, freeBits }: FreePlaintext): Bytes {
  const ciphertext = plaintext.map((byte, at) => byte ^ (one.stream[16 + at] ?? 0));
  const difference = createDifference(one, other, Math.ceil(plaintext.length / 16));
  const turned = solve(freeBits.map(difference), tagOf(one, bound, ciphertext) ^ tagOf(other, bound, ciphertext));
  for (const index of turned) {
    const bit = freeBits[index] ?? 0;
    ciphertext[bit >> 3] = (ciphertext[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
  }
  return new Uint8Array([...ciphertext, ...toBlock(tagOf(one, bound, ciphertext))]);
}

/**
 * An object as JSON that, with `masks` added to it, is one too. Both are walked through at once; of the ways that end with both at their
 * end, the one that leaves most bits free is taken.
 */
function findObjects(masks: Bytes): FreePlaintext {
  const steps = reachableSteps(masks);
  let best = new Map<number, number>([[pairOf(states.indexOf("end"), states.indexOf("end")), 0]]);
  const chosen: Map<number, Step>[] = [];
  for (const byPair of steps.toReversed()) {
    const values = new Map<number, number>();
    const taken = new Map<number, Step>();
    for (const [pair, nexts] of byPair)
      for (const [next, bytes] of nexts) {
        const rest = best.get(next);
        if (rest === undefined || rest + Math.log2(bytes.length) < (values.get(pair) ?? 0)) continue;
        values.set(pair, rest + Math.log2(bytes.length));
        taken.set(pair, { next, bytes });
      }
    best = values;
    chosen.unshift(taken);
  }
  let pair = 0;
  const plaintext = new Uint8Array(masks.length);
  const freeBits: number[] = [];
  for (const [at, taken] of chosen.entries()) {
    const step = taken.get(pair);
    if (step === undefined) throw new Error("These keys have no two objects of this length");
    const { byte, bits } = freest(step.bytes);
    plaintext[at] = byte;
    freeBits.push(...bits.map((bit) => at * 8 + bit));
    pair = step.next;
  }
  return { plaintext, freeBits };
}

interface Step {
  readonly next: number;
  /** Those that lead there. */
  readonly bytes: readonly number[];
}

/** For each place, by the pair of states there: the pairs that follow, and the bytes that lead to them. */
function reachableSteps(masks: Bytes): readonly ReadonlyMap<number, ReadonlyMap<number, readonly number[]>>[] {
  let pairs = new Set([0]);
  return Array.from(masks, (mask) => {
    const byPair = new Map<number, Map<number, number[]>>();
    for (const pair of pairs) {
      const nexts = new Map<number, number[]>();
      const ofOne = table[Math.floor(pair / states.length)] ?? [];
      const ofOther = table[pair % states.length] ?? [];
      for (let byte = 0; byte < 256; byte++) {
        const [one, other] = [ofOne[byte], ofOther[byte ^ mask]];
        if (one === undefined || other === undefined) continue;
        const bytes = nexts.get(pairOf(one, other));
        if (bytes === undefined) nexts.set(pairOf(one, other), [byte]);
        else bytes.push(byte);
      }
      byPair.set(pair, nexts);
    }
    pairs = new Set([...byPair.values()].flatMap((nexts) => [...nexts.keys()]));
    return byPair;
  });
}

function pairOf(one: number, other: number): number {
  return one * states.length + other;
}

/** The byte of which most bits can be turned over at once without leaving `bytes`, and these bits from its highest. */
function freest(bytes: readonly number[]): { readonly byte: number; readonly bits: readonly number[] } {
  let best = { byte: bytes[0] ?? 0, bits: [] as readonly number[] };
  for (const byte of bytes) {
    const bits: number[] = [];
    let reached = [byte];
    for (let bit = 0; bit < 8; bit++) {
      const turned = reached.map((one) => one ^ (0x80 >> bit));
      if (!turned.every((one) => bytes.includes(one))) continue;
      reached = [...reached, ...turned];
      bits.push(bit);
    }
    if (bits.length > best.bits.length) best = { byte, bits };
  }
  return best;
}

/** An object of texts, byte by byte. UTF-8 of two or three bytes, without its corners; no escapes. */
const space = "[ \\n\\r\\t]";
const letter = "[ !#-\\[\\]-\\x7f]";
const text = (inside: string, after: string) => ({
  [inside]: [
    [letter, inside],
    ["[\\xc2-\\xdf]", `${inside}1`],
    ["[\\xe1-\\xec]", `${inside}2`],
    ["[\\xf1-\\xf3]", `${inside}3`],
    ["\\\\", `${inside}0`],
    ['"', after],
  ],
  [`${inside}0`]: [['["\\\\/bfnrt]', inside]],
  [`${inside}1`]: [["[\\x80-\\xbf]", inside]],
  [`${inside}2`]: [["[\\x80-\\xbf]", `${inside}1`]],
  [`${inside}3`]: [["[\\x80-\\xbf]", `${inside}2`]],
});
const rules: Readonly<Record<string, readonly (readonly string[])[]>> = {
  start: [
    [space, "start"],
    ["\\{", "open"],
  ],
  open: [
    [space, "open"],
    ['"', "name"],
  ],
  ...text("name", "named"),
  named: [
    [space, "named"],
    [":", "colon"],
  ],
  colon: [
    [space, "colon"],
    ['"', "text"],
    ["[1-9]", "digits"],
  ],
  digits: [
    ["[0-9]", "digits"],
    [space, "valued"],
    [",", "open"],
    ["\\}", "end"],
  ],
  ...text("text", "valued"),
  valued: [
    [space, "valued"],
    [",", "open"],
    ["\\}", "end"],
  ],
  end: [[space, "end"]],
};

const states = Object.keys(rules);

/** By state and byte: the state that follows. */
const table = Object.values(rules).map((ways) =>
  Array.from({ length: 256 }, (_, byte) => {
    const way = ways.find(([pattern = ""]) => new RegExp(`^${pattern}$`).test(String.fromCharCode(byte)));
    return way && states.indexOf(way[1] ?? "");
  }),
);
