import { identityToRecipient } from "age-encryption";
import type { Bytes } from "./age-header.ts";
import { hybridIdentityOf } from "./recipient.ts";
import { formatLines, lineBytes, type ParsedLines, parseCode, parseLines, type SheetKind } from "./sheet-lines.ts";

/** A sheet with a whole key: a person's, or an organization's recovery key. */
export type WholeSheetKind = Exclude<SheetKind, "share">;

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
const seedBytes = sheetLines * lineBytes;

export async function generateSheet(kind: WholeSheetKind): Promise<RecoverySheet> {
  return toSheet(kind, crypto.getRandomValues(new Uint8Array(seedBytes)));
}

/** The sheet of a seed, 32 bytes. SPECIFICATION.md section 17. */
export async function toSheet(kind: WholeSheetKind, seed: Bytes): Promise<RecoverySheet> {
  const identity = hybridIdentityOf(seed);
  return { identity, recipient: await identityToRecipient(identity), ...(await formatLines(kind, seed)) };
}

/** Reads the lines that somebody typed from paper: case, spaces and hyphens don't matter, O is zero, I and L are one. */
export async function parseSheet(kind: WholeSheetKind, lines: readonly string[]): Promise<ParsedSheet> {
  return toParsed(await parseLines(kind, lines));
}

/** Reads the text of a scanned code; `undefined` for a code that is no recovery sheet, or a damaged one. */
export async function parseSheetCode(kind: WholeSheetKind, code: string): Promise<ParsedSheet | undefined> {
  const parsed = await parseCode(kind, code);
  return parsed && toParsed(parsed);
}

function toParsed(parsed: ParsedLines): ParsedSheet {
  return "bytes" in parsed ? { identity: hybridIdentityOf(parsed.bytes) } : parsed;
}
