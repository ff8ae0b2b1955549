import { isSheetLine, parseSheet, parseSheetCode, sheetLines } from "@sealpost/envelope";

/** A sheet that was typed or scanned: what it opens with, or which lines (from 0) are wrong, or a sentence's name. */
export type SheetReading =
  | { readonly identity: string }
  | { readonly wrongLines: readonly number[] }
  | { readonly refused: "organization" | "formSheet" | "noSheet" };

export async function readSheetLines(lines: readonly string[]): Promise<SheetReading> {
  const parsed = await parseSheet("personal", lines);
  return "otherKind" in parsed ? { refused: "organization" } : parsed;
}

export async function readSheetCode(code: string): Promise<SheetReading> {
  const parsed = await parseSheetCode("personal", code.trim());
  if (parsed === undefined) return { refused: /^SEALPOST:KEY/.test(code) ? "formSheet" : "noSheet" };
  return "otherKind" in parsed ? { refused: "organization" } : parsed;
}

/** Of a line in its place (from 0). `isLine`: it is the line of another place, from 0. */
export type LineReading = "right" | "wrong" | "organization" | { readonly isLine: number };

/** Whether a line is right in its place (from 0); what else it is has a sentence of its own. */
export async function checkLine(index: number, line: string): Promise<LineReading> {
  if (await isSheetLine("personal", index, line)) return "right";
  if (await isSheetLine("organization", index, line)) return "organization";
  for (let place = 0; place < sheetLines; place++)
    if (await isSheetLine("personal", place, line)) return { isLine: place };
  return "wrong";
}

/** The lines of a sheet that was pasted, or filled in, as a whole, also with the numbers of a list; one line otherwise. */
export function splitSheet(typed: string): readonly string[] {
  const lines = typed
    .replace(/(^|\s)[1-4][.):](?=\s)/g, "$1")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const [only = ""] = lines;
  const joined = only.replace(/[\s-]/g, "");
  return lines.length === 1 && joined.length === 60 ? (joined.match(/.{15}/g) ?? []) : lines;
}
