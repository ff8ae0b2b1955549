import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import type { Bytes } from "../age-header.ts";
import { type ParsedSheet, toSheet } from "../recovery-sheet.ts";
import { formatLines, type SheetKind } from "../sheet-lines.ts";
import { type ShareVectors, shareVectors } from "./share-vectors.ts";

/** A share as JSON has it, in place of an identity. */
export type ShownShare = { readonly share: Readonly<Record<string, unknown>> };

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
    readonly result: ParsedSheet | ShownShare;
  }[];
  /** Scanned codes that are no sheet of this kind. */
  readonly refusedCodes: readonly { readonly name: string; readonly kind: SheetKind; readonly code: string }[];
  readonly shares: ShareVectors;
}

export async function sheetVectors(): Promise<SheetVectors> {
  const [personal, organization] = await Promise.all(
    (["personal", "organization"] as const).map(async (kind) => toSheet(kind, await derive("sheet", kind, 32))),
  );
  if (personal === undefined || organization === undefined) throw new Error("There are two kinds");
  const { identity, lines, code } = personal;
  const zeros = await toSheet("personal", new Uint8Array(32));
  const kind = "personal";
  const typed = (
    name: string,
    typedLines: readonly string[],
    result: ParsedSheet | ShownShare,
    ofKind: SheetKind = "personal",
  ) => ({ name, kind: ofKind, lines: typedLines, result });
  const shares = await shareVectors();
  const { sheets: shareSheets, needed, of, set } = shares.sets[0] ?? { sheets: [] };
  const [share] = shareSheets;
  if (share === undefined) throw new Error("There is a set");
  const shown = { share: { place: share.place, needed, of, set, value: share.value } };
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
      typed("a share as a person's sheet", share.lines, { otherKind: "share" }),
      typed("a share as an organization's sheet", share.lines, { otherKind: "share" }, "organization"),
      typed(
        "a share in small letters",
        share.lines.map((line) => line.toLowerCase()),
        shown,
        "share",
      ),
      typed("a share without its fifth line", share.lines.slice(0, 4), { wrongLines: [4] }, "share"),
      typed("an organization's sheet as a share", organization.lines, { otherKind: "organization" }, "share"),
      ...(await wrongShares()).map(({ name, lines: wrong }) => typed(name, wrong, { wrongLines: [4] }, "share")),
    ],
    refusedCodes: [
      { name: "of another version", kind, code: code.replace("/1:", "/2:") },
      { name: "with a letter changed", kind, code: code.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
      { name: "cut", kind, code: code.slice(0, -1) },
      { name: "with more after it", kind, code: `${code}0` },
      { name: "of an unknown kind", kind, code: code.replace("PERSONAL", "SHARE") },
      { name: "an address", kind, code: "https://example.org/" },
      { name: "a share that is cut", kind: "share", code: share.code.slice(0, -15) },
      { name: "a whole sheet called a share", kind: "share", code: code.replace("PERSONAL", "SHARE") },
      ...(await wrongShares()).map(({ name, code: wrong }) => ({ name, kind: "share" as const, code: wrong })),
    ],
    shares,
  };
}

/** Shares whose lines are right, with numbers that no share has. */
function wrongShares() {
  const numbers: Readonly<Record<string, readonly [place: number, needed: number, of: number]>> = {
    "a share in place zero": [0, 2, 3],
    "a share after the last": [4, 2, 3],
    "a share of a set that one sheet opens": [1, 1, 3],
    "a share of a set that no number of sheets opens": [1, 4, 3],
    "a share of seventeen": [1, 2, 17],
  };
  return Promise.all(
    Object.entries(numbers).map(async ([name, last]) => {
      const bytes: Bytes = new Uint8Array(40).fill(9);
      bytes.set(last, 32);
      return { name, ...(await formatLines("share", bytes)) };
    }),
  );
}
