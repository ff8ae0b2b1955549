import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { separatorOf } from "../../packages/dashboard/src/submissions/csv-separator.ts";
import type { Making } from "../../packages/dashboard/src/submissions/export-making.ts";
import { toCsv, toFile, toJson } from "../../packages/dashboard/src/submissions/export-rows.ts";
import { toXlsx } from "../../packages/dashboard/src/submissions/export-xlsx.ts";
import { toZip } from "../../packages/dashboard/src/submissions/export-zip.ts";
import { printedFields } from "../../packages/dashboard/src/submissions/printed-fields.ts";
import type { Row } from "../../packages/dashboard/src/submissions/row.ts";
import { applyView, columnsOf } from "../../packages/dashboard/src/submissions/row-view.ts";
import { readWorkbook } from "../support/workbook.ts";

function rowOf(id: string, fields: Readonly<Record<string, string>>): Row {
  return { id, receivedAt: 0, timestamp: 0, keyVersion: 1, opened: { opened: true, sealed: true, fields } };
}

function fieldsOf(prefix: string, count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, `${prefix} ${index}.`]));
}

const [questionnaire, odd] = [fieldsOf("question", 80), fieldsOf("odd", 500)];
/** Newest first: somebody sent fields of their own making. */
const rows = [rowOf("sub_3", odd), rowOf("sub_2", questionnaire), rowOf("sub_1", questionnaire)];

test("a spreadsheet has every answer, however many fields there are and no matter who made their names", () => {
  const csv = [...toCsv(rows, "comma")].join("");
  const [head = "", ...lines] = csv.split("\r\n");
  for (const name of Object.keys(questionnaire)) assert.ok(head.includes(`"${name}"`), name);
  for (const answer of Object.values(questionnaire)) assert.equal(csv.split(`"${answer}"`).length - 1, 2, answer);
  for (const answer of Object.values(odd)) assert.ok(lines[0]?.includes(answer), answer);
  assert.ok(head.endsWith('"_more"'));
  assert.ok(lines[0]?.includes('"{""odd'), "what got no column is there as JSON");
  assert.doesNotMatch([...toCsv(rows.slice(1), "comma")].join(""), /_more/);
});

test("one submission of odd fields puts the form's own columns aside neither in the table nor in a spreadsheet", () => {
  assert.deepEqual(columnsOf(rows, 3), ["question0", "question1", "question2"]);
});

test("a search minds neither accents nor case", () => {
  const view = { status: "all", sortBy: "", isAscending: false } as const;
  const people = [rowOf("sub_1", { name: "Zoë Müßig" }), rowOf("sub_2", { name: "José Núñez" })];
  const found = (search: string) => applyView(people, { ...view, search }).map(({ id }) => id);
  assert.deepEqual(
    [found("zoe"), found("NUNEZ jose"), found("mussig"), found("núñez")],
    [["sub_1"], ["sub_2"], ["sub_1"], ["sub_2"]],
  );
});

test("what is printed of a submission ends at a hundred sheets, and what is left out is counted", () => {
  const [long, lines] = ["x".repeat(70_000), "\n".repeat(100_000)];
  const { fields, left } = printedFields({ ["n".repeat(200_000)]: "v", a: long, b: long, c: long });
  assert.deepEqual(
    fields.map(({ name, value, isCut }) => [name.length, value.length, isCut]),
    [
      [301, 1, false],
      [1, 70_000, false],
      [1, 100_000 - 301 - 70_001, true],
    ],
  );
  assert.equal(left, 1);
  const empty = printedFields({ a: "one\ntwo", b: lines, c: "v" });
  assert.deepEqual(
    empty.fields.map(({ value, isCut }) => [value.split("\n").length, isCut]),
    [
      [2, false],
      [4_998, true],
    ],
  );
  assert.equal(empty.left, 1);
  assert.deepEqual(printedFields(fieldsOf("question", 80)).left, 0);
});

test("of a text of combining marks, which take a browser longest, fewer characters are printed", () => {
  const printed = (text: string) => printedFields({ text }).fields[0];
  assert.equal(printed("a\u0301\u0302\u0303".repeat(30_000))?.value.length, 57_143);
  assert.deepEqual(printed("a\u0301".repeat(30_000)), { name: "text", value: "a\u0301".repeat(30_000), isCut: false });
});

test("an export's JSON is what JSON.stringify writes, and an export of any length leaves the page usable while it is made", async () => {
  const odd = rowOf("sub_1", { "a\u2028b": 'line\nbreak, "quotes"', b: "" });
  const sealed: Row = { ...odd, id: "sub_2", opened: undefined };
  const written = (some: readonly Row[]) => [...toJson(some)].join("");
  const { opened: _, ...known } = odd;
  const items = [
    { ...known, status: "opened", fields: odd.opened?.opened && odd.opened.fields },
    { ...known, id: "sub_2", status: "not_opened_yet" },
  ];
  assert.equal(written([odd, sealed]), `${JSON.stringify(items, null, 2)}\n`);
  assert.equal(written([]), "[]\n");
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const many = Array.from({ length: 20_000 }, (__, index) => rowOf(`sub_${index}`, { text: "x".repeat(200) }));
  const file = await toFile(toCsv(many, "comma"));
  clearInterval(counting);
  assert.ok(turns >= 5, String(turns));
  // Not `text()`, which takes the byte order mark away.
  const bytes = Buffer.from(await file.arrayBuffer());
  assert.ok(bytes.equals(Buffer.from([...toCsv(many, "comma")].join(""))));
});

test("CSV is separated as the spreadsheets of the browser's language expect it", () => {
  for (const language of ["en", "en-US", "en-GB", "ja", "zh-CN", "he", "es-MX"])
    assert.equal(separatorOf(language), "comma", language);
  for (const language of [
    "de",
    "de-DE",
    "de-AT",
    "de-CH",
    "it-CH",
    "de-LI",
    "fr",
    "es",
    "pt-BR",
    "pl",
    "nl",
    "ru",
    "tr",
  ])
    assert.equal(separatorOf(language), "semicolon", language);
});

test("the export opens in a browser whose language is no language tag", () => {
  for (const language of ["C", "POSIX", "C.UTF-8", "de_DE", "", "*"])
    assert.equal(separatorOf(language), "comma", language);
});

const making: Readonly<Record<string, (rows: readonly Row[], making: Making) => Promise<unknown>>> = {
  csv: (rows, making) => toFile(toCsv(rows, "comma"), making),
  json: (rows, making) => toFile(toJson(rows), making),
  xlsx: toXlsx,
  zip: (rows, making) => toZip(rows, "comma", making),
};

for (const [format, make] of Object.entries(making))
  test(`an export as ${format} says how many rows are written, and ends at the next turn once nobody wants it`, async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => rowOf(`sub_${index}`, { text: "x".repeat(500) }));
    const said: number[] = [];
    await make(many, { onRows: (count) => void said.push(count) });
    assert.ok(said.length >= 2, String(said));
    assert.deepEqual(
      said,
      said.toSorted((one, other) => one - other),
    );
    assert.ok(said.every((count) => count <= many.length + 2) && (said.at(-1) ?? 0) > many.length / 2, String(said));
    const stopping = new AbortController();
    const heard: number[] = [];
    const onRows = (count: number) => {
      heard.push(count);
      stopping.abort();
    };
    await assert.rejects(make(many, { signal: stopping.signal, onRows }), { name: "AbortError" });
    assert.equal(heard.length, 1);
  });

test("a workbook of any length leaves the page usable while it is made", async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const many = Array.from({ length: 5_000 }, (_, index) => rowOf(`sub_${index}`, { text: `${index}` }));
  const { file, cut } = await toXlsx(many);
  clearInterval(counting);
  assert.ok(turns >= 5, String(turns));
  assert.equal(cut, 0);
  const [sheet] = readWorkbook(Buffer.from(await file.arrayBuffer()));
  assert.deepEqual(
    sheet?.rows.slice(1).map((row) => row.get(4)?.value),
    many.map((_, index) => `${index}`),
  );
});
