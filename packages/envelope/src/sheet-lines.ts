import type { Bytes } from "./age-header.ts";

/** Whose sheet it is: a person's, an organization's recovery key as a whole, or a share of such a key; and how many lines it has. */
const lineCounts = { personal: 4, organization: 4, share: 5 } as const;
export type SheetKind = keyof typeof lineCounts;
const sheetKinds = Object.keys(lineCounts) as readonly SheetKind[]; // the keys of `lineCounts`

export const lineBytes = 8;
const lineCharacters = 15;
const checkBits = 11n;
/** Crockford's base32: no I, L, O, U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const codeStart = "SEALPOST-SHEET/1:";

/** Lines of paper that were read: their bytes, or which of them are wrong (from 0), or that they are those of another kind of sheet. */
export type ParsedLines =
  | { readonly bytes: Bytes }
  | { readonly wrongLines: readonly number[] }
  | { readonly otherKind: SheetKind };

/** The lines of a sheet, and the text of its QR code. SPECIFICATION.md section 17. */
export async function formatLines(
  kind: SheetKind,
  bytes: Bytes,
): Promise<{ readonly lines: readonly string[]; readonly code: string }> {
  const lines = await Promise.all(
    Array.from({ length: bytes.length / lineBytes }, (_, index) =>
      formatLine(kind, index, bytes.slice(index * lineBytes, (index + 1) * lineBytes)),
    ),
  );
  return { lines, code: `${codeStart}${kind.toUpperCase()}:${lines.join("").replaceAll(" ", "")}` };
}

/** Whether a typed line is right in its place (from 0): to be said while the next is typed. */
export async function isSheetLine(kind: SheetKind, index: number, line: string): Promise<boolean> {
  return (await parseSheetLine(kind, index, line)) !== undefined;
}

/** Reads the lines that somebody typed from paper: case, spaces and hyphens don't matter, O is zero, I and L are one. */
export async function parseLines(kind: SheetKind, lines: readonly string[]): Promise<ParsedLines> {
  const count = lineCounts[kind];
  const wrongLines: number[] = [];
  const read: number[] = [];
  for (let index = 0; index < count; index++) {
    const bytes = await parseSheetLine(kind, index, lines[index] ?? "");
    if (bytes === undefined) wrongLines.push(index);
    else read.push(...bytes);
  }
  if (wrongLines.length === count) {
    const others = sheetKinds.filter((other) => other !== kind);
    for (const otherKind of others) if (await isSheetLine(otherKind, 0, lines[0] ?? "")) return { otherKind };
  }
  return wrongLines.length > 0 ? { wrongLines } : { bytes: Uint8Array.from(read) };
}

/** Reads the text of a scanned code; `undefined` for a code that is no recovery sheet, or a damaged one. */
export async function parseCode(kind: SheetKind, code: string): Promise<ParsedLines | undefined> {
  const [, name = "", text = ""] = /^SEALPOST-SHEET\/1:([A-Z]+):([0-9A-Z]+)$/.exec(code) ?? [];
  const found = sheetKinds.find((candidate) => candidate.toUpperCase() === name);
  if (found === undefined || text.length !== lineCounts[found] * lineCharacters) return undefined;
  if (found !== kind) return { otherKind: found };
  const parsed = await parseLines(kind, text.match(/.{15}/g) ?? []);
  return "bytes" in parsed ? parsed : undefined;
}

/** 64 bits and 11 of the check, as 15 characters. */
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
