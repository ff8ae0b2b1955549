import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CsvSeparator, csvSeparators, findCsvColumns, formatCsvHead, formatCsvRow, guardFormula } from "./csv.ts";

// No program has to read a file as it was written: Excel splits at the mark of the computer's language, whatever stands between the cells.

/** Ways in which programs read quotation marks; each splits lines at CR and LF, and cells at its marks. */
const quotes = {
  /** Python's csv and Excel: a cell that begins with one ends at the next, and what comes then belongs to it unchanged. */
  "at the beginning of a cell": { begin: true, within: false, drop: false },
  /** Each begins or ends a part in which no mark splits. */
  "anywhere in a cell": { begin: true, within: true, drop: false },
  "not at all": { begin: false, within: false, drop: false },
  /** A program that splits first, and then takes them off both ends of a cell. */
  "off its ends": { begin: false, within: false, drop: true },
} as const;

/** The marks at which a program splits; LibreOffice splits at several together. */
const readerMarks = [",", ";", "\t", "|", ",;\t"] as const;

function readCells(text: string, marks: string, { begin, within, drop }: (typeof quotes)[keyof typeof quotes]) {
  const cells: string[] = [];
  let cell = "";
  let isEmpty = true;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (isQuoted && character === '"' && text[at + 1] === '"') {
      cell += character;
      at++;
    } else if (isQuoted && character === '"') isQuoted = false;
    else if (!isQuoted && character === '"' && (within || (begin && isEmpty))) [isQuoted, isEmpty] = [true, false];
    else if (!isQuoted && (marks.includes(character) || character === "\r" || character === "\n")) {
      cells.push(cell);
      [cell, isEmpty] = ["", true];
    } else {
      cell += character;
      isEmpty = false;
    }
  }
  return [...cells, cell].map((each) => (drop ? each.replace(/^"+|"+$/g, "") : each));
}

/** Numbers, telephone numbers and dates: they can only add and subtract. */
const isNumber = (text: string) => /^[+-]?[0-9 ()./-]+$/.test(text);

/**
 * Whether a spreadsheet would run a cell: it begins with = or @; or with + or -, and calls something or reaches outside of its table. A text in
 * quotation marks right after a name, a number or the end of a sentence makes no formula, so the cell is a text.
 */
function runs(cell: string): boolean {
  const text = cell.replace(/^[\s\p{Cc}\p{Cf}]+/u, "");
  if (/^[=@＝＠]/.test(text)) return true;
  if (!/^[+\-＋－]/.test(text) || isNumber(text) || /^[^"]*[\p{L}\p{N}.?!)\]}]\s*"/u.test(text)) return false;
  return /\p{L}[\p{N}_.]*\s*\(|[|]|!\S/u.test(text);
}

const parts = [
  ...[
    ",",
    ";",
    "\t",
    "|",
    "\n",
    "\r\n",
    "\r",
    " ",
    '"',
    "'",
    "&",
    "=",
    "+",
    "-",
    "@",
    "a",
    "5",
    "-5",
    "+49 30",
    "\u200b",
    "＝",
  ],
  ...["-(", ")", "=1+1", "cmd|' /C calc'!A0", "&cmd|' /C calc'!A0", ")+cmd|' /C calc'!A0", "SUM(A1)", "[x]y!A1"],
];
const cell = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((texts) => texts.join(""));
const row = { id: "sub_1", receivedAt: 0, keyVersion: 1, status: "opened" } as const;

test("at whichever mark and quotes a program splits a file, no cell that it finds is a formula", () => {
  const separators = Object.keys(csvSeparators) as CsvSeparator[];
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 4 }), (entries) => {
      const rows = [{ ...row, fields: Object.fromEntries(entries) }];
      const columns = findCsvColumns(rows);
      for (const separator of separators) {
        const text = [formatCsvHead(columns, separator), ...rows.map((each) => formatCsvRow(each, columns, separator))];
        for (const marks of readerMarks)
          for (const [name, quote] of Object.entries(quotes))
            for (const found of readCells(text.join(""), marks, quote))
              assert.ok(!runs(found), `${JSON.stringify(found)} where ${JSON.stringify(marks)} splits, quotes ${name}`);
      }
    }),
    { numRuns: 1_500 },
  );
});

test("the readers here find cells that run in what is not guarded, and none in prose", () => {
  for (const text of ["hello;=1+1;bye", "hello\n=1+1", "a;-cmd|' /C calc'!A0;", 'a;"=1"', "x;-SUM(A1);"]) {
    const lines = `"sub_1","${text.replaceAll('"', '""')}","b"\r\n`;
    assert.ok(readCells(lines, ";", quotes["at the beginning of a cell"]).some(runs), text);
  }
  for (const text of ["- milk", "-5 degrees", "+49 30 1234", "- 5", "--"]) assert.ok(!runs(text), text);
});

// Were a run of blanks read again from each of its places, each of these would take hours.
test("a megabyte of blanks, marks or signs comes out, each sign that could begin a formula with its apostrophe", () => {
  for (const [part, written] of [
    ["\t", "\t"],
    [" ", " "],
    ["\u2028", "\u2028"],
    ['"', '"'],
    ["\t-", "\t-"],
    [",=", ",'="],
  ] as const) {
    const guarded = guardFormula(`a${part.repeat(1_000_000)}b`);
    assert.ok(guarded === `a${written.repeat(1_000_000)}b`, JSON.stringify(part));
  }
});
