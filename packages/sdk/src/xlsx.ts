import { strToU8, Zip, ZipDeflate } from "fflate";
import { createColumns, type ExportColumns, type ExportRow, findColumns, restOf } from "./export-columns.ts";
import { columnName, cutText, numberCell, stylesXml, textCell, timeCell, valueCell } from "./xlsx-cells.ts";

export type { ExportColumns, ExportRow } from "./export-columns.ts";

export interface XlsxOptions {
  /** Called for each cell whose text is longer than Excel's 32,767 characters. It ends in `…`. */
  readonly onCut?: (() => void) | undefined;
}

export interface XlsxLimits {
  /** Rows of a sheet, its headings among them. */
  readonly rowsMax: number;
  /** Bytes of a sheet before it is compressed; ZIP counts no further than 4 GiB. */
  readonly sheetBytesMax: number;
  readonly fileBytesMax: number;
}

/** Excel's limits; and those of ZIP without ZIP64, which fflate does not write, less room for the last row and the end. */
const excelLimits: XlsxLimits = { rowsMax: 1_048_576, sheetBytesMax: 2 ** 31, fileBytesMax: 2 ** 32 - 2 ** 28 };
const columnsMax = 16_384;
/** A heading is a cell as well, and may get ` (field 2)` at its end. */
const nameCharactersMax = 32_000;

const writeName = (name: string): string => name.slice(0, nameCharactersMax);

/** The columns of an export with these rows: every field; or, if there are too many, the most frequent ones and `_more`. */
export function findXlsxColumns(rows: Iterable<Pick<ExportRow, "fields">>): ExportColumns {
  return findColumns(rows, writeName);
}

/** Exactly these fields, whatever else there is. Throws a `RangeError` if they are more than a sheet has columns for. */
export function createXlsxColumns(names: readonly string[]): ExportColumns {
  const columns = createColumns(names, writeName);
  if (columns.headings.length > columnsMax) throw new RangeError(`A sheet has at most ${columnsMax} columns`);
  return columns;
}

/**
 * The bytes of a workbook (ECMA-376), piece by piece as the rows come; no row is held. Texts stay texts, whatever they look like, so
 * nothing in it is a formula. Rows that a sheet has no room for begin another one. Throws a `RangeError` at about 4 GiB.
 */
export function formatXlsx(
  rows: Iterable<ExportRow> | AsyncIterable<ExportRow>,
  columns: ExportColumns,
  options: XlsxOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  return writeXlsx(rows, columns, options, excelLimits);
}

/** `formatXlsx` with limits that a test can reach. */
export async function* writeXlsx(
  rows: Iterable<ExportRow> | AsyncIterable<ExportRow>,
  columns: ExportColumns,
  { onCut = () => undefined }: XlsxOptions,
  limits: XlsxLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const archive = createArchive(limits.fileBytesMax);
  const cut = (text: string): string => {
    const short = cutText(text);
    if (short !== text) onCut();
    return short;
  };
  archive.addFile("_rels/.rels", relationsXml([["officeDocument", "xl/workbook.xml"]]));
  let [sheetCount, rowCount, bytes] = [0, 0, 0];
  function beginSheet(): void {
    archive.beginFile(`xl/worksheets/sheet${++sheetCount}.xml`);
    const headings = columns.headings.map((heading, index) => textCell(`${columnName(index)}1`, heading, "heading"));
    bytes = archive.write(`${sheetStart(columns.headings.length)}<row r="1">${headings.join("")}</row>`);
    rowCount = 1;
  }
  function endSheet(): void {
    archive.write(sheetEnd);
    archive.endFile();
  }
  beginSheet();
  for await (const row of rows) {
    if (rowCount >= limits.rowsMax || bytes >= limits.sheetBytesMax) {
      endSheet();
      beginSheet();
    }
    bytes += archive.write(rowXml(row, columns, ++rowCount, cut));
    yield* archive.take();
  }
  endSheet();
  const sheets = Array.from({ length: sheetCount }, (_, index) => index + 1);
  archive.addFile("xl/workbook.xml", workbookXml(sheets));
  archive.addFile(
    "xl/_rels/workbook.xml.rels",
    relationsXml([...sheets.map((number) => ["worksheet", `worksheets/sheet${number}.xml`]), ["styles", "styles.xml"]]),
  );
  archive.addFile("xl/styles.xml", xmlHead + stylesXml);
  archive.addFile("[Content_Types].xml", contentTypesXml(sheets));
  yield* archive.end();
}

function rowXml(row: ExportRow, columns: ExportColumns, number: number, cut: (text: string) => string): string {
  const { id, receivedAt, keyVersion, status, fields = {} } = row;
  const { names, hasRest } = columns;
  let xml = `<row r="${number}">${textCell(`A${number}`, cut(id))}${timeCell(`B${number}`, receivedAt)}`;
  xml += numberCell(`C${number}`, keyVersion) + textCell(`D${number}`, status);
  let index = 4;
  for (const name of names) {
    if (Object.hasOwn(fields, name)) xml += valueCell(`${columnName(index)}${number}`, fields[name], cut);
    index++;
  }
  if (hasRest) xml += valueCell(`${columnName(index)}${number}`, restOf(fields, names), cut);
  return `${xml}</row>`;
}

/** A ZIP, whose bytes are taken out as they come. */
function createArchive(bytesMax: number) {
  let [pieces, written]: [Uint8Array<ArrayBuffer>[], number] = [[], 0];
  const zip = new Zip((error, data) => {
    if (error) throw error;
    written += data.length;
    if (written > bytesMax) throw new RangeError("An XLSX file ends at about 4 GiB");
    // A copy: the library may use its buffer again.
    pieces.push(new Uint8Array(data));
  });
  let file = new ZipDeflate("");
  const archive = {
    beginFile(name: string): void {
      file = new ZipDeflate(name);
      zip.add(file);
    },
    /** Returns the number of bytes that the text has uncompressed. */
    write(text: string): number {
      const bytes = strToU8(text);
      file.push(bytes);
      return bytes.length;
    },
    endFile(): void {
      file.push(new Uint8Array(0), true);
    },
    addFile(name: string, text: string): void {
      archive.beginFile(name);
      archive.write(text);
      archive.endFile();
    },
    take(): readonly Uint8Array<ArrayBuffer>[] {
      const taken = pieces;
      pieces = [];
      return taken;
    },
    end(): readonly Uint8Array<ArrayBuffer>[] {
      zip.end();
      return archive.take();
    },
  };
  return archive;
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006";

/** The first row stays in sight. Widths are in characters. */
function sheetStart(columnCount: number): string {
  const widths = [34, 24, 12, 20].map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  const others = columnCount > 4 ? `<col min="5" max="${columnCount}" width="28" customWidth="1"/>` : "";
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${xmlHead}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${widths.join("")}${others}</cols><sheetData>`;
}

/** Texts that look like numbers are meant: no green corners. */
const sheetEnd =
  '</sheetData><ignoredErrors><ignoredError sqref="A1:XFD1048576" numberStoredAsText="1"/></ignoredErrors></worksheet>';

function workbookXml(sheets: readonly number[]): string {
  const entries = sheets.map(
    (number) =>
      `<sheet name="Submissions${number === 1 ? "" : ` ${number}`}" sheetId="${number}" r:id="rId${number}"/>`,
  );
  return `${xmlHead}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${entries.join("")}</sheets></workbook>`;
}

function relationsXml(targets: readonly (readonly string[])[]): string {
  const entries = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${relations}/${type}" Target="${target}"/>`,
  );
  return `${xmlHead}<Relationships xmlns="${packages}/relationships">${entries.join("")}</Relationships>`;
}

function contentTypesXml(sheets: readonly number[]): string {
  const parts = [
    ["workbook", "sheet.main"],
    ["styles", "styles"],
    ...sheets.map((number) => [`worksheets/sheet${number}`, "worksheet"]),
  ];
  const entries = parts.map(
    ([part, type]) =>
      `<Override PartName="/xl/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`,
  );
  const relationships = `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`;
  return `${xmlHead}<Types xmlns="${packages}/content-types">${relationships}${entries.join("")}</Types>`;
}
