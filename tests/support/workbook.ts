import assert from "node:assert/strict";
import { crc32, inflateRawSync } from "node:zlib";

/** A cell as a spreadsheet shows it, read without any of the code that wrote it. */
export interface ReadCell {
  readonly kind: "text" | "number" | "boolean" | "time";
  readonly value: string | number | boolean;
}

export interface ReadSheet {
  readonly name: string;
  /** By row and column, both from 0; cells without content are absent. */
  readonly rows: readonly ReadonlyMap<number, ReadCell>[];
  readonly xml: string;
}

/** The files of a ZIP by its directory (PKWARE's APPNOTE, 4.3.12), each with its checksum checked. */
export function readZip(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const end = bytes.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    assert.equal(bytes.readUInt32LE(at), 0x02014b50);
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place));
    const name = bytes.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = inflateRawSync(bytes.subarray(start, start + bytes.readUInt32LE(at + 20)));
    assert.equal(content.length, bytes.readUInt32LE(at + 24), name);
    assert.equal(crc32(content), bytes.readUInt32LE(at + 16), name);
    assert.ok(!files.has(name), name);
    files.set(name, content);
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (noteLength ?? 0);
  }
  return files;
}

/** The sheets of a workbook. Fails on everything that XML 1.0 or a sheet of ours does not have. */
export function readWorkbook(bytes: Buffer): readonly ReadSheet[] {
  const files = readZip(bytes);
  const textOf = (name: string) => new TextDecoder("utf-8", { fatal: true }).decode(files.get(name));
  for (const name of ["[Content_Types].xml", "_rels/.rels", "xl/styles.xml"]) assert.ok(files.has(name), name);
  const targets = new Map(
    Array.from(textOf("xl/_rels/workbook.xml.rels").matchAll(/Id="(\w+)"[^>]*Target="([^"]+)"/g), ([, id, target]) => [
      id,
      target,
    ]),
  );
  return Array.from(
    textOf("xl/workbook.xml").matchAll(/<sheet name="([^"]+)"[^>]*r:id="(\w+)"/g),
    ([, name = "", id]) => {
      const xml = textOf(`xl/${targets.get(id)}`);
      return { name, rows: readRows(xml), xml };
    },
  );
}

const cell =
  /<c r="([A-Z]+)(\d+)"(?: s="(\d)")?(?: t="(inlineStr|b)")?>(?:<is><t xml:space="preserve">([^<>]*)<\/t><\/is>|<v>([^<>]*)<\/v>)<\/c>/y;

function readRows(xml: string): readonly ReadonlyMap<number, ReadCell>[] {
  // Production 2 of XML 1.0, and nothing that a parser changes (2.11).
  assert.doesNotMatch(xml, /[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
  const [, data = ""] = /<sheetData>([\s\S]*)<\/sheetData>/.exec(xml) ?? [];
  const rows: Map<number, ReadCell>[] = [];
  for (const [, number, content = ""] of data.matchAll(/<row r="(\d+)">([\s\S]*?)<\/row>/g)) {
    assert.equal(Number(number), rows.length + 1);
    const row = new Map<number, ReadCell>();
    cell.lastIndex = 0;
    while (cell.lastIndex < content.length) {
      const at = content.slice(cell.lastIndex, cell.lastIndex + 80);
      const match = cell.exec(content);
      assert.ok(match !== null, at);
      const [, column = "", line, style, type, inline, value = ""] = match;
      assert.equal(line, number);
      row.set(indexOf(column), toCell(type, style, inline, value));
    }
    rows.push(row);
  }
  return rows;
}

function toCell(
  type: string | undefined,
  style: string | undefined,
  inline: string | undefined,
  value: string,
): ReadCell {
  if (type === "inlineStr") return { kind: "text", value: decode(inline ?? "") };
  if (type === "b") return { kind: "boolean", value: value === "1" };
  assert.match(value, /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/);
  return { kind: style === "2" ? "time" : "number", value: Number(value) };
}

function indexOf(column: string): number {
  return [...column].reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function decode(text: string): string {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };
  const plain = text.replace(/&(\w*);?/g, (_, name: string) => {
    assert.ok(entities[name] !== undefined, name);
    return entities[name];
  });
  return plain.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
