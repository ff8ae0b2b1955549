import {
  isSheetLine,
  parseShare,
  parseShareCode,
  parseSheet,
  parseSheetCode,
  type RecoveryShare,
  type SheetKind,
  shareLines,
  sheetLines,
} from "@sealpost/envelope";

/** A sheet that was typed or scanned: what it opens with, or is a share of, or which lines (from 0) are wrong, or a sentence's name. */
export type SheetReading =
  | { readonly identity: string }
  | { readonly share: RecoveryShare }
  | { readonly wrongLines: readonly number[] }
  | { readonly refused: SheetKind | "formSheet" | "noSheet" };

export function lineCountOf(kind: SheetKind): number {
  return kind === "share" ? shareLines : sheetLines;
}

export async function readSheetLines(kind: SheetKind, lines: readonly string[]): Promise<SheetReading> {
  const parsed = kind === "share" ? await parseShare(lines) : await parseSheet(kind, lines);
  return "otherKind" in parsed ? { refused: parsed.otherKind } : parsed;
}

/** A code of one of these kinds. */
export async function readSheetCode(kinds: readonly SheetKind[], code: string): Promise<SheetReading> {
  let other: SheetKind | undefined;
  for (const kind of kinds) {
    const parsed = kind === "share" ? await parseShareCode(code.trim()) : await parseSheetCode(kind, code.trim());
    if (parsed === undefined) continue;
    if (!("otherKind" in parsed)) return parsed;
    other = parsed.otherKind;
  }
  if (other !== undefined && !kinds.includes(other)) return { refused: other };
  return { refused: /^SEALPOST:KEY/.test(code) ? "formSheet" : "noSheet" };
}

/** Letters and digits. */
const lineCharacters = 15;

/**
 * The reading of a line in its place (from 0). `isLine`: it is the line of another place, from 0. A kind: it belongs to another kind
 * of sheet.
 */
export type LineReading = "right" | "wrong" | SheetKind | { readonly isLine: number };

const kinds: readonly SheetKind[] = ["personal", "organization", "share"];

/** Whether a line is right in its place (from 0); what else it is has a sentence of its own. */
export async function checkLine(kind: SheetKind, index: number, line: string): Promise<LineReading> {
  if (await isSheetLine(kind, index, line)) return "right";
  for (const other of kinds) if (other !== kind && (await isSheetLine(other, index, line))) return other;
  for (let place = 0; place < lineCountOf(kind); place++)
    if (await isSheetLine(kind, place, line)) return { isLine: place };
  return "wrong";
}

/** The lines of a sheet of either length that was pasted, or filled in, as a whole, also with the numbers of a list; one line otherwise. */
export function splitSheet(typed: string): readonly string[] {
  const lines = typed
    .replace(/(^|\s)[1-5][.):](?=\s)/g, "$1")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const [only = ""] = lines;
  const joined = only.replace(/[\s-]/g, "");
  const isWhole = [sheetLines, shareLines].some((count) => joined.length === count * lineCharacters);
  return lines.length === 1 && isWhole ? (joined.match(/.{15}/g) ?? []) : lines;
}
