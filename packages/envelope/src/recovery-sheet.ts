import { bech32 } from "@scure/base";
import { identityToRecipient } from "age-encryption";
import type { Bytes } from "./age-header.ts";

/** Whose sheet it is: a person's, or an organization's recovery key. */
export const sheetKinds = ["personal", "organization"] as const;
export type SheetKind = (typeof sheetKinds)[number];

/** A key on paper, and nowhere else. */
export interface RecoverySheet {
  /** `AGE-SECRET-KEY-PQ-1…`, which opens what is sealed for `recipient`. */
  readonly identity: string;
  readonly recipient: string;
  /** To write down and to type: each 15 characters in three groups, the last two bytes' worth of them a check. */
  readonly lines: readonly string[];
  /** To scan: the text of a QR code. */
  readonly code: string;
}

/** Reading of typed lines: the identity; or which lines are wrong (from 0); or that they are those of another kind of sheet. */
export type ParsedSheet =
  | { readonly identity: string }
  | { readonly wrongLines: readonly number[] }
  | { readonly otherKind: SheetKind };

export const sheetLines = 4;
const seedBytes = 32;
const lineBytes = seedBytes / sheetLines;
const checkBits = 11n;
const lineCharacters = 15;
/** Crockford's base32: no I, L, O, U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const codeStart = "SEALPOST-SHEET/1:";

export async function generateSheet(kind: SheetKind): Promise<RecoverySheet> {
  return toSheet(kind, crypto.getRandomValues(new Uint8Array(seedBytes)));
}

/** The sheet of a seed, 32 bytes. SPECIFICATION.md section 17. */
export async function toSheet(kind: SheetKind, seed: Bytes): Promise<RecoverySheet> {
  const identity = bech32.encodeFromBytes("age-secret-key-pq-", seed).toUpperCase();
  const lines = await Promise.all(
    Array.from({ length: sheetLines }, (_, index) =>
      formatLine(kind, index, seed.slice(index * lineBytes, (index + 1) * lineBytes)),
    ),
  );
  const code = `${codeStart}${kind.toUpperCase()}:${lines.join("").replaceAll(" ", "")}`;
  return { identity, recipient: await identityToRecipient(identity), lines, code };
}

/** Whether a typed line is right in its place (from 0): to be said while the next is typed. */
export async function isSheetLine(kind: SheetKind, index: number, line: string): Promise<boolean> {
  return (await parseSheetLine(kind, index, line)) !== undefined;
}

/** Reads the lines that somebody typed from paper: case, spaces and hyphens don't matter, O is zero, I and L are one. */
export async function parseSheet(kind: SheetKind, lines: readonly string[]): Promise<ParsedSheet> {
  const wrongLines: number[] = [];
  const seed: number[] = [];
  for (let index = 0; index < sheetLines; index++) {
    const bytes = await parseSheetLine(kind, index, lines[index] ?? "");
    if (bytes === undefined) wrongLines.push(index);
    else seed.push(...bytes);
  }
  if (wrongLines.length === sheetLines) {
    const others = sheetKinds.filter((other) => other !== kind);
    for (const otherKind of others) if (await isSheetLine(otherKind, 0, lines[0] ?? "")) return { otherKind };
  }
  if (wrongLines.length > 0) return { wrongLines };
  return { identity: bech32.encodeFromBytes("age-secret-key-pq-", Uint8Array.from(seed)).toUpperCase() };
}

/** Reads the text of a scanned code; `undefined` for a code that is no recovery sheet, or a damaged one. */
export async function parseSheetCode(kind: SheetKind, code: string): Promise<ParsedSheet | undefined> {
  const [, name = "", text = ""] = /^SEALPOST-SHEET\/1:([A-Z]+):([0-9A-Z]{60})$/.exec(code) ?? [];
  const found = sheetKinds.find((candidate) => candidate.toUpperCase() === name);
  if (found === undefined) return undefined;
  if (found !== kind) return { otherKind: found };
  const parsed = await parseSheet(kind, text.match(/.{15}/g) ?? []);
  return "identity" in parsed ? parsed : undefined;
}

/** 64 bits of the seed and 11 of the check, as 15 characters. */
async function formatLine(kind: SheetKind, index: number, bytes: Bytes): Promise<string> {
  const value = (toNumber(bytes) << checkBits) | (await checkOf(kind, index, bytes));
  const characters = Array.from(
    { length: lineCharacters },
    (_, place) => alphabet[Number((value >> BigInt(5 * (lineCharacters - 1 - place))) & 31n)],
  ).join("");
  return characters.replace(/.{5}(?=.)/g, "$& ");
}

async function parseSheetLine(kind: SheetKind, index: number, line: string): Promise<Bytes | undefined> {
  const typed = line.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
  const digits = [...typed].map((character) => alphabet.indexOf(character));
  if (digits.length !== lineCharacters || digits.includes(-1)) return undefined;
  const value = digits.reduce((number, digit) => (number << 5n) | BigInt(digit), 0n);
  const bits = value >> checkBits;
  const bytes = Uint8Array.from({ length: lineBytes }, (_, place) =>
    Number((bits >> BigInt(8 * (lineBytes - 1 - place))) & 255n),
  );
  const isRight = (value & ((1n << checkBits) - 1n)) === (await checkOf(kind, index, bytes));
  return isRight ? bytes : undefined;
}

/** The first 11 bits of SHA-256 over format, kind, number of the line from 1, and its bytes. */
async function checkOf(kind: SheetKind, index: number, bytes: Bytes): Promise<bigint> {
  const head = new TextEncoder().encode(`sealpost-sheet/1\n${kind}\n${index + 1}\n`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array([...head, ...bytes])));
  return toNumber(hash.subarray(0, 2)) >> (16n - checkBits);
}

function toNumber(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}
