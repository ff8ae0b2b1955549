import { encodeBase64Url } from "@sealpost/wire";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import type { Bytes } from "../age-header.ts";
import { hybridIdentityOf } from "../recipient.ts";
import { findSet, type JoinedShares, type RecoveryShare, type ShareSheet, toShareSheet } from "../recovery-share.ts";

/** The part of vectors/recovery-sheets.json about shares. */
export interface ShareVectors {
  readonly sets: readonly {
    readonly identity: string;
    readonly needed: number;
    readonly of: number;
    readonly set: string;
    readonly sheets: readonly {
      readonly place: number;
      /** Base64url. */
      readonly value: string;
      readonly lines: readonly string[];
      readonly code: string;
    }[];
  }[];
  /** Sheets that somebody brought, by their codes. */
  readonly joins: readonly {
    readonly name: string;
    readonly codes: readonly string[];
    readonly result: JoinedShares;
  }[];
}

export async function shareVectors(): Promise<ShareVectors> {
  const two = await splitBySpecification("two of three", 2, 3);
  const again = await splitBySpecification("two of three", 2, 3, "again");
  const other = await splitBySpecification("another two of three", 2, 3);
  const three = await splitBySpecification("three of five", 3, 5);
  const all = await splitBySpecification("sixteen of sixteen", 16, 16);
  const join = (name: string, sheets: readonly (ShareSheet | undefined)[], result: JoinedShares) => ({
    ...{ name, codes: sheets.map((sheet) => sheet?.code ?? ""), result },
  });
  const { sheets, identity } = two;
  const [first, second, third] = sheets;
  const [otherFirst, otherSecond] = again.sheets;
  const claimed = second && (await toShareSheet({ ...second, needed: 3 }));
  const more = second && (await toShareSheet({ ...second, of: 4 }));
  return {
    sets: [two, three, all].map(({ sheets: made, ...set }) => ({
      ...set,
      sheets: made.map(({ place, value, lines, code }) => ({ place, value: encodeBase64Url(value), lines, code })),
    })),
    joins: [
      join("the first two", [first, second], { identity }),
      join("the last two, in another order", [third, second], { identity }),
      join("one more than it takes", [third, first, second], { identity }),
      join("one twice, and another", [first, first, third], { identity }),
      join("one", [first], { missing: 1 }),
      join("one twice", [first, first], { missing: 1 }),
      join("two of three that it takes", three.sheets.slice(3), { missing: 1 }),
      join("three of five", [three.sheets[4], three.sheets[0], three.sheets[2]], { identity: three.identity }),
      join("sixteen", all.sheets, { identity: all.identity }),
      join("fifteen of sixteen", all.sheets.slice(1), { missing: 1 }),
      join("of another set", [first, other.sheets[1]], { refused: "other_set" }),
      join("of another set, after enough", [first, second, other.sheets[2]], { refused: "other_set" }),
      join("one that claims another threshold", [first, claimed], { refused: "other_set" }),
      join("one that claims another number of sheets", [first, more], { refused: "other_set" }),
      join("the same place of another splitting", [first, second, otherFirst], { refused: "differing" }),
      join("another place of another splitting", [first, otherSecond], { refused: "damaged" }),
    ],
  };
}

/** By the letter of SPECIFICATION.md section 17, without the library; the coefficients follow from the name. */
async function splitBySpecification(name: string, needed: number, of: number, draw = "") {
  const seed = await derive("sheet", name, 32);
  const identity = hybridIdentityOf(seed);
  const set = await findSet(identity);
  const coefficients = [seed];
  for (let degree = 1; degree < needed; degree++)
    coefficients.push(await derive("seed", `${name} ${degree} ${draw}`, 32));
  const sheets: ShareSheet[] = [];
  for (let place = 1; place <= of; place++)
    sheets.push(await toShareSheet({ place, needed, of, set, value: evaluate(coefficients, place) }));
  return { identity, needed, of, set, sheets };
}

/** The polynomial of each byte, the lowest coefficient first. */
function evaluate(coefficients: readonly Bytes[], x: number): Bytes {
  return Uint8Array.from({ length: 32 }, (_, index) =>
    coefficients.reduceRight((value, coefficient) => multiply(value, x) ^ (coefficient[index] ?? 0), 0),
  );
}

/** In the field of 256 elements, modulo x⁸ + x⁴ + x³ + x + 1. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 0, shifted = one; bit < 8; bit++) {
    if ((other >> bit) & 1) product ^= shifted;
    shifted = (shifted << 1) ^ (shifted & 128 ? 0x11b : 0);
  }
  return product;
}

/** A share that was read, as JSON has it. */
export function showShare({ value, ...share }: RecoveryShare) {
  return { ...share, value: encodeBase64Url(value) };
}
