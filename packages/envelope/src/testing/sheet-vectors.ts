import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import { type ParsedSheet, type SheetKind, sheetKinds, toSheet } from "../recovery-sheet.ts";

/** vectors/recovery-sheets.json. */
export interface SheetVectors {
  readonly sheets: readonly {
    readonly kind: SheetKind;
    readonly identity: string;
    readonly lines: readonly string[];
    readonly code: string;
  }[];
  /** Lines as somebody typed them. */
  readonly typed: readonly {
    readonly name: string;
    readonly kind: SheetKind;
    readonly lines: readonly string[];
    readonly result: ParsedSheet;
  }[];
  /** Scanned codes that are no sheet of this kind. */
  readonly refusedCodes: readonly { readonly name: string; readonly kind: SheetKind; readonly code: string }[];
}

export async function sheetVectors(): Promise<SheetVectors> {
  const [personal, organization] = await Promise.all(
    sheetKinds.map(async (kind) => toSheet(kind, await derive("sheet", kind, 32))),
  );
  if (personal === undefined || organization === undefined) throw new Error("There are two kinds");
  const { identity, lines, code } = personal;
  const zeros = await toSheet("personal", new Uint8Array(32));
  const kind = "personal";
  const typed = (name: string, typedLines: readonly string[], result: ParsedSheet) => ({
    ...{ name, kind: "personal" as const, lines: typedLines, result },
  });
  const change = (index: number, edit: (line: string) => string) =>
    lines.map((line, place) => (place === index ? edit(line) : line));
  const swapped = (line: string) => line.replace(/^(.)(.)/, "$2$1");
  const [first = "", second = "", third = "", fourth = ""] = lines;
  return {
    sheets: [
      { kind, identity, lines, code },
      { kind: "organization", identity: organization.identity, lines: organization.lines, code: organization.code },
      { kind, identity: zeros.identity, lines: zeros.lines, code: zeros.code },
    ],
    typed: [
      typed(
        "small letters, hyphens and no spaces",
        lines.map((line) => line.toLowerCase().replaceAll(" ", "-")),
        { identity },
      ),
      typed(
        "the letters O, I and L",
        zeros.lines.map((line) => line.replaceAll("0", "o").replace("1", "l").replaceAll("1", "I")),
        { identity: zeros.identity },
      ),
      typed("two letters swapped", change(1, swapped), { wrongLines: [1] }),
      typed(
        "a letter too many",
        change(3, (line) => `${line}0`),
        { wrongLines: [3] },
      ),
      typed(
        "a letter outside of the alphabet",
        change(0, (line) => line.replace(/.$/, "U")),
        { wrongLines: [0] },
      ),
      typed("two lines swapped", [second, first, third, fourth], { wrongLines: [0, 1] }),
      typed("a line is missing", [first, second, third], { wrongLines: [3] }),
      typed("nothing", [], { wrongLines: [0, 1, 2, 3] }),
      typed("the sheet of an organization", organization.lines, { otherKind: "organization" }),
    ],
    refusedCodes: [
      { name: "of another version", kind, code: code.replace("/1:", "/2:") },
      { name: "with a letter changed", kind, code: code.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
      { name: "cut", kind, code: code.slice(0, -1) },
      { name: "with more after it", kind, code: `${code}0` },
      { name: "of an unknown kind", kind, code: code.replace("PERSONAL", "SHARE") },
      { name: "an address", kind, code: "https://example.org/" },
    ],
  };
}
