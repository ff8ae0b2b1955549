import { setImmediate as nextTurn } from "node:timers/promises";
import { findDecoder, isLong, pieceBytes } from "./encodings.ts";
import { nameLengthMax, refuseLongName } from "./field-names.ts";

/** The bytes of a name, each of which may be written as an escape, and each character of which may have four. */
const writtenNameBytesMax = 4 * 3 * nameLengthMax;

const ampersand = 0x26;
const plus = 0x2b;
const equals = 0x3d;
const percent = 0x25;
const space = 0x20;
const underscore = 0x5f;

/** The value of each hexadecimal digit, and -1 for every other byte. */
const digits = Int8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? Number.parseInt(String.fromCharCode(byte), 16) : -1,
);

/** Where a pair is in the bytes without escapes. */
interface Pair {
  readonly start: number;
  readonly nameEnd: number;
  readonly valueStart: number;
  readonly end: number;
}

/**
 * The pairs of an `application/x-www-form-urlencoded` body (URL, section 5.1), in their order. The escapes of a stranger's megabyte are
 * read in one loop over its bytes, and others have turns meanwhile. Throws where a name is longer than any that is taken, before
 * a value is decoded. A longer one that begins with `_` is a control field, of which nothing is taken.
 */
export async function readUrlencoded(body: Buffer): Promise<readonly (readonly [string, string])[]> {
  refuseLongNames(body);
  const { bytes, pairs: all } = await readEscapes(body);
  const isLongControl = ({ start, nameEnd }: Pair) => bytes[start] === underscore && nameEnd - start > nameLengthMax;
  const pairs = all.filter((pair) => !isLongControl(pair));
  const decoder = findDecoder(findLabel(bytes, pairs), bytes);
  const names = pairs.map(({ start, nameEnd }) => decoder.decode(bytes.subarray(start, nameEnd)));
  for (const name of names) refuseLongName(name);
  const entries: (readonly [string, string])[] = [];
  let sinceTurn = 0;
  for (const [index, { valueStart, end }] of pairs.entries()) {
    const value = bytes.subarray(valueStart, end);
    entries.push([names[index] ?? "", isLong(value) ? await decoder.decodeInTurns(value) : decoder.decode(value)]);
    sinceTurn += end - valueStart;
    if (sinceTurn < pieceBytes) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  return entries;
}

/** Looks at what is written, which is no shorter than what it means. */
function refuseLongNames(body: Buffer): void {
  for (let start = 0; start < body.length; ) {
    const found = body.indexOf(ampersand, start);
    const end = found === -1 ? body.length : found;
    const head = body.subarray(start, Math.min(end, start + writtenNameBytesMax + 1));
    const isControl = head[0] === underscore || /^%5f/i.test(head.toString("latin1", 0, 3));
    if (head.length > writtenNameBytesMax && !isControl && !head.includes(equals))
      throw new RangeError("The name of a field is too long");
    start = end + 1;
  }
}

async function readEscapes(body: Buffer): Promise<{ readonly bytes: Buffer; readonly pairs: readonly Pair[] }> {
  const written = Buffer.allocUnsafe(body.length);
  const pairs: Pair[] = [];
  let [length, start, nameEnd] = [0, 0, -1];
  for (let index = 0; index < body.length; ) {
    const pieceEnd = Math.min(index + pieceBytes, body.length);
    while (index < pieceEnd) {
      const byte = body[index++] ?? 0;
      if (byte === percent) {
        const value = ((digits[body[index] ?? 0] ?? -1) << 4) | (digits[body[index + 1] ?? 0] ?? -1);
        if (value >= 0) index += 2;
        written[length++] = value >= 0 ? value : byte;
        continue;
      }
      if (byte === ampersand) {
        endPair();
        start = length + 1;
        nameEnd = -1;
      } else if (byte === equals && nameEnd === -1) nameEnd = length;
      written[length++] = byte === plus ? space : byte;
    }
    if (index < body.length) await nextTurn();
  }
  endPair();
  return { bytes: written.subarray(0, length), pairs };

  function endPair(): void {
    if (length === start) return;
    pairs.push({
      start,
      end: length,
      ...(nameEnd === -1 ? { nameEnd: length, valueStart: length } : { nameEnd, valueStart: nameEnd + 1 }),
    });
  }
}

/** The encoding that `_charset_` names. */
function findLabel(bytes: Buffer, pairs: readonly Pair[]): string | undefined {
  const label = pairs.find(({ start, nameEnd }) => bytes.toString("latin1", start, nameEnd) === "_charset_");
  return label && bytes.toString("latin1", label.valueStart, label.end);
}
