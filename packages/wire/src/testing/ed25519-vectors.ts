import { Point } from "@noble/ed25519";
import { encodeBase64Url } from "../base64.ts";
import { concatenate, encodeText } from "../bytes.ts";
import { littleEndian } from "../ed25519.ts";
import type { Ed25519Vector } from "./ed25519-conformance.ts";

const { n: order, p: prime } = Point.CURVE();
/** A point of order 8. */
const torsion = Point.fromBytes(toBytes(0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n));
/** The eight points whose order divides 8: `small[i]` is i times the one of order 8. */
const small = Array.from({ length: 8 }, (_, times) => multiply(torsion, BigInt(times)));

export async function ed25519Vectors(): Promise<readonly Ed25519Vector[]> {
  return [
    ...(await honestVectors()),
    ...(await torsionVectors()),
    ...(await smallVectors()),
    ...(await otherEncodings()),
    ...(await scalarVectors()),
  ];
}

/** A signature to make: `added` to the public key, and to the first half. */
interface Parts {
  readonly message?: string;
  readonly toKey?: Point;
  readonly toFirst?: Point;
  /** In the place of the key or of the first half, as bytes; the second half is made for its secret number. */
  readonly key?: { readonly bytes: Uint8Array; readonly secret: bigint };
  readonly first?: { readonly bytes: Uint8Array; readonly secret: bigint };
}

interface Made {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly first: Uint8Array;
  readonly second: bigint;
  readonly challenge: bigint;
}

async function make({
  message = "a message",
  toKey = Point.ZERO,
  toFirst = Point.ZERO,
  key,
  first,
}: Parts): Promise<Made> {
  const [secret, nonce] = [key?.secret ?? (await draw("secret")), first?.secret ?? (await draw("nonce"))];
  const publicKey = key?.bytes ?? Point.BASE.multiply(secret).add(toKey).toBytes();
  const firstHalf = first?.bytes ?? Point.BASE.multiply(nonce).add(toFirst).toBytes();
  const bytes = encodeText(message);
  const challenge = await challengeOf(firstHalf, publicKey, bytes);
  return { publicKey, message: bytes, first: firstHalf, second: (nonce + challenge * secret) % order, challenge };
}

/** The first of such signatures over counted messages whose challenge suits. */
async function find(parts: Parts, isSuitable: (challenge: bigint) => boolean): Promise<Made> {
  for (let count = 0; ; count++) {
    const made = await make({ ...parts, message: `message ${count}` });
    if (isSuitable(made.challenge)) return made;
  }
}

async function toVector(name: string, { publicKey, message, first, second }: Made): Promise<Ed25519Vector> {
  const signature = concatenate(first, toBytes(second));
  const texts = { publicKey: encodeBase64Url(publicKey), message: encodeBase64Url(message) };
  const answers = await answersOf(publicKey, message, signature);
  return { name: `ed25519: ${name}`, ...texts, signature: encodeBase64Url(signature), ...answers };
}

/** By the letter of section 23, and of the other equation, with points of a library. */
async function answersOf(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) {
  const [first, second] = [signature.subarray(0, 32), littleEndian(signature.subarray(32))];
  const isUsable = isUsablePoint(publicKey) && isUsablePoint(first) && second < order;
  const challenge = await challengeOf(first, publicKey, message);
  const [key, point] = [decode(publicKey), decode(first)];
  if (key === undefined || second >= order) return { isRight: false, isUsable, withFactor8: false };
  const result = multiply(Point.BASE, second).subtract(multiply(key, challenge));
  const isRight = isUsable && encodeBase64Url(result.toBytes()) === encodeBase64Url(first);
  return { isRight, isUsable, withFactor8: point !== undefined && result.subtract(point).clearCofactor().is0() };
}

function isUsablePoint(bytes: Uint8Array): boolean {
  const point = decode(bytes);
  // One that does not decode is refused by the second step.
  return littleEndian(bytes) % 2n ** 255n < prime && !(point?.isSmallOrder() ?? false);
}

function decode(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes, true);
  } catch {
    return undefined;
  }
}

async function honestVectors(): Promise<readonly Ed25519Vector[]> {
  const made = await make({});
  const flip = (bytes: Uint8Array) => bytes.with(3, (bytes[3] ?? 0) ^ 16);
  return [
    await toVector("honest", made),
    await toVector("honest, of an empty message", await make({ message: "" })),
    await toVector("another message", { ...made, message: flip(made.message) }),
    await toVector("another key", { ...made, publicKey: Point.BASE.multiply(await draw("another")).toBytes() }),
    await toVector("another first half", { ...made, first: Point.BASE.multiply(await draw("another")).toBytes() }),
    await toVector("another second half", { ...made, second: made.second ^ 1n }),
  ];
}

/** Small points added to the key, to the first half, and to both. */
async function torsionVectors(): Promise<readonly Ed25519Vector[]> {
  const vectors: Ed25519Vector[] = [];
  for (const [times, added] of small.entries()) {
    if (times === 0) continue;
    const vanishes = (challenge: bigint) => multiply(added, challenge).is0();
    vectors.push(
      await toVector(`${times} T added to the key, which vanish`, await find({ toKey: added }, vanishes)),
      await toVector(
        `${times} T added to the key, which stay`,
        await find({ toKey: added }, (challenge) => !vanishes(challenge)),
      ),
      await toVector(`${times} T added to the first half`, await make({ toFirst: added })),
    );
    for (const [other, toFirst] of small.entries()) {
      if (other === 0 || (times * other) % 2 === 0) continue;
      const isSame = (challenge: bigint) => multiply(added, challenge).add(toFirst).is0();
      const name = `${times} T added to the key, and ${other} T to the first half`;
      vectors.push(
        await toVector(`${name}, which fit`, await find({ toKey: added, toFirst }, isSame)),
        await toVector(`${name}, which do not fit`, await find({ toKey: added, toFirst }, (one) => !isSame(one))),
      );
    }
  }
  return vectors;
}

/** The 14 encodings of points whose order divides 8. */
const smallEncodings = (() => {
  const numbers = [
    ...[0n, 1n, prime - 1n, prime, prime + 1n],
    ...[littleEndian(torsion.toBytes()), prime - littleEndian(torsion.toBytes())],
  ].map((number) => number % 2n ** 255n);
  return numbers.flatMap((number) => [toBytes(number), toBytes(number + 2n ** 255n)]);
})();

/** Small points in the place of the key and of the first half, so that a library that decodes them has its equation fulfilled. */
async function smallVectors(): Promise<readonly Ed25519Vector[]> {
  const vectors: Ed25519Vector[] = [];
  for (const bytes of smallEncodings) {
    const point = decode(bytes);
    if (point === undefined) throw new Error("All of them decode");
    const name = hex(bytes);
    const key = { bytes, secret: 0n };
    const isSolved = (challenge: bigint) => multiply(point, challenge).is0();
    vectors.push(await toVector(`a small point as the key, ${name}`, await find({ key }, isSolved)));
    // The first half has to be the rest of the point that was added to the key.
    const toKey = point.is0() ? Point.ZERO : (small[1] ?? point);
    const isLeft = (challenge: bigint) => multiply(toKey, challenge).add(point).is0();
    const first = { bytes, secret: 0n };
    vectors.push(await toVector(`a small point as the first half, ${name}`, await find({ toKey, first }, isLeft)));
  }
  return vectors;
}

/** Numbers that are no coordinate, and points that are not on the curve. */
async function otherEncodings(): Promise<readonly Ed25519Vector[]> {
  let outside = 2n;
  while (decode(toBytes(outside)) !== undefined) outside++;
  const made = await make({});
  const vectors: Ed25519Vector[] = [];
  for (const [name, number] of [
    ["no point of the curve", outside],
    ["y = p + 3", prime + 3n],
    ["y = 2^255 - 1", 2n ** 255n - 1n],
    ["y = 2^255 - 1, with a sign", 2n ** 256n - 1n],
  ] as const)
    vectors.push(
      await toVector(`${name}, as the key`, { ...made, publicKey: toBytes(number) }),
      await toVector(`${name}, as the first half`, { ...made, first: toBytes(number) }),
    );
  return vectors;
}

/** Second halves at and beyond the order of the group. */
async function scalarVectors(): Promise<readonly Ed25519Vector[]> {
  const made = await make({});
  const second = (name: string, number: bigint) => toVector(`second half: ${name}`, { ...made, second: number });
  return [
    await second("0", 0n),
    await second("L - 1", order - 1n),
    await second("L", order),
    await second("the right one + L", made.second + order),
    await second("the right one + 2^255", made.second + 2n ** 255n),
    await second("2^256 - 1", 2n ** 256n - 1n),
  ];
}

async function challengeOf(...parts: readonly Uint8Array[]): Promise<bigint> {
  return littleEndian(new Uint8Array(await crypto.subtle.digest("SHA-512", concatenate(...parts)))) % order;
}

async function draw(name: string): Promise<bigint> {
  return challengeOf(encodeText(`Sealpost vector: ed25519: ${name}`));
}

function multiply(point: Point, times: bigint): Point {
  return point.is0() || times === 0n ? Point.ZERO : point.multiply(times, false);
}

function toBytes(number: bigint): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((number >> BigInt(8 * index)) & 255n));
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
