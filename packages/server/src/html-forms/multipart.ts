import { setImmediate as nextTurn } from "node:timers/promises";
import { type FormDecoder, findDecoder, isLong, pieceBytes } from "./encodings.ts";
import { nameLengthMax, refuseLongName } from "./field-names.ts";

/** A file that was posted, or an input for one where nothing was chosen: without a name, and empty. */
export interface PostedFile {
  readonly name: string;
  readonly size: number;
}

/** As RFC 2046, section 5.1.1, has it. */
const boundaryBytesMax = 70;
/** Browsers write two, and programs up to four. */
const headLinesMax = 8;
/** The longest line, of a control field with a long name. Every line that says no name is far shorter. */
const headBytesMax = 2 * pieceBytes;
/** The work on a part besides its bytes, as bytes. */
const partBytes = 1_024;

const [carriageReturn, lineFeed, dash] = [0x0d, 0x0a, 0x2d];

interface Part {
  /** The lines, each byte as a character. */
  readonly head: readonly string[];
  readonly value: Buffer;
}

/**
 * The entries of a `multipart/form-data` body (RFC 7578) as browsers and programs write it, in their order; `undefined` when there are more than `partsMax`.
 * Everybody else has a turn after each piece, and no byte is looked at more than twice in any step. Throws where the body is not
 * such a form, and where a name is longer than any that is taken, before a value is decoded; a longer control field is left out.
 */
export async function readMultipart(
  body: Buffer,
  boundary: string,
  partsMax: number,
): Promise<readonly (readonly [string, string | PostedFile])[] | undefined> {
  const parts = await findParts(body, boundary, partsMax);
  if (parts === undefined) return undefined;
  const decoder = findDecoder(findLabel(parts), body);
  const isPieceDone = createPieces();
  const named: { readonly name: string; readonly fileName: string | undefined; readonly part: Part }[] = [];
  for (const part of parts) {
    const { name, fileName } = readDisposition(part.head, decoder);
    if (isPieceDone(partBytes + lengthOf(part.head))) await nextTurn();
    if (name.length > nameLengthMax && name.startsWith("_")) continue;
    refuseLongName(name);
    named.push({ name: decodeName(name), fileName, part });
  }
  const entries: (readonly [string, string | PostedFile])[] = [];
  for (const { name, fileName, part } of named) {
    const value = fromBase64(part);
    if (fileName !== undefined) entries.push([name, { name: fileName, size: value.length }]);
    else entries.push([name, isLong(value) ? await decoder.decodeInTurns(value) : decoder.decode(value)]);
    if (isPieceDone(partBytes + value.length)) await nextTurn();
  }
  return entries;
}

/** Counts bytes, and says whenever a piece is done: then everybody else has a turn. */
function createPieces(): (bytes: number) => boolean {
  let sinceTurn = 0;
  return (bytes) => {
    sinceTurn += bytes;
    if (sinceTurn < pieceBytes) return false;
    sinceTurn = 0;
    return true;
  };
}

async function findParts(body: Buffer, boundary: string, partsMax: number): Promise<readonly Part[] | undefined> {
  const isPieceDone = createPieces();
  const search = createSearch(body, boundary);
  const parts: Part[] = [];
  let at = await search(0, true);
  while (body[at] !== dash || body[at + 1] !== dash) {
    if (body[at] !== carriageReturn || body[at + 1] !== lineFeed) throw new TypeError("A boundary has no end");
    if (parts.length === partsMax) return undefined;
    const { head, end } = readHead(body, at + 2);
    if (isPieceDone(partBytes + end - at)) await nextTurn();
    at = await search(end, false);
    parts.push({ head, value: body.subarray(end, at - boundary.length - "\r\n--".length) });
  }
  return parts;
}

/** Finds where the next boundary ends, in steps whose number doesn't depend on what is in the body (Knuth, Morris and Pratt). */
function createSearch(body: Buffer, boundary: string): (start: number, isLineStart: boolean) => Promise<number> {
  const mark = Buffer.from(`\r\n--${boundary}`, "latin1");
  if (boundary === "" || boundary.length > boundaryBytesMax) throw new TypeError("The boundary has no usable length");
  const fallbacks = findFallbacks(mark);
  return async (start, isLineStart) => {
    let matched = isLineStart ? 2 : 0;
    for (let index = start; index < body.length; await nextTurn()) {
      const pieceEnd = Math.min(index + pieceBytes, body.length);
      while (index < pieceEnd) {
        const byte = body[index++];
        while (matched > 0 && mark[matched] !== byte) matched = fallbacks[matched - 1] ?? 0;
        if (mark[matched] === byte) matched += 1;
        if (matched === mark.length) return index;
      }
      if (index === body.length) break;
    }
    throw new TypeError("The last boundary is missing");
  };
}

/** For each length of a beginning of `mark`, the longest shorter beginning that it ends with. */
function findFallbacks(mark: Buffer): readonly number[] {
  const fallbacks = [0];
  for (let index = 1, matched = 0; index < mark.length; index++) {
    while (matched > 0 && mark[matched] !== mark[index]) matched = fallbacks[matched - 1] ?? 0;
    if (mark[matched] === mark[index]) matched += 1;
    fallbacks.push(matched);
  }
  return fallbacks;
}

/** The lines of a part's head, and where its value begins. */
function readHead(body: Buffer, start: number): { readonly head: readonly string[]; readonly end: number } {
  const most = body.subarray(start, start + headBytesMax);
  const length = most.indexOf("\r\n\r\n", 0, "latin1");
  const head = most.toString("latin1", 0, Math.max(length, 0)).split("\r\n", headLinesMax + 1);
  if (length === -1 || head.length > headLinesMax) throw new TypeError("A part has no head, or too long a one");
  return { head, end: start + length + "\r\n\r\n".length };
}

const lengthOf = (head: readonly string[]) => head.reduce((sum, line) => sum + line.length, 0);

const disposition = /^content-disposition:[ \t]*form-data(?=[ \t;]|$)/i;
const attribute = /[ \t]*;[ \t]*([\w-]+)(\*?)[ \t]*=[ \t]*(?:"([^"\r\n]*)"|([^\s";]+)(?=[\s;]|$))/y;
const ascii = /^[\t -~]*$/;
/** The type, a name, a file's name, and the same once more in another encoding. */
const attributesMax = 4;

function readDisposition(head: readonly string[], decoder: FormDecoder) {
  const line = head.find((one) => disposition.test(one));
  if (line === undefined) throw new TypeError("A part has no name");
  const text = ascii.test(line) ? line : decoder.decode(Buffer.from(line, "latin1"));
  attribute.lastIndex = disposition.exec(text)?.[0].length ?? 0;
  let [name, fileName]: (string | undefined)[] = [];
  for (let count = 0; count < attributesMax; count++) {
    const found = attribute.exec(text);
    if (found === null) break;
    const value = found[3] ?? found[4] ?? "";
    if (found[1]?.toLowerCase() === "name") name = value;
    if (found[1]?.toLowerCase() === "filename") fileName = value;
  }
  if (name === undefined) throw new TypeError("A part has no name");
  return { name, fileName: fileName && decodeName(fileName) };
}

/** As the standard of HTML has browsers write names ("multipart form data"). */
function decodeName(name: string): string {
  return name.replaceAll(/%0A/gi, "\n").replaceAll(/%0D/gi, "\r").replaceAll("%22", '"');
}

const base64 = /^content-transfer-encoding:[ \t]*base64[ \t]*$/i;

/** Browsers write none; some programs do. */
function fromBase64({ head, value }: Part): Buffer {
  return head.some((line) => base64.test(line)) ? Buffer.from(value.toString("latin1"), "base64") : value;
}

const charsetField = /^content-disposition:[ \t]*form-data;[ \t]*name="_charset_"[ \t]*$/i;

/** The value of the field `_charset_`. */
function findLabel(parts: readonly Part[]): string | undefined {
  return parts.find(({ head }) => head.some((line) => charsetField.test(line)))?.value.toString("latin1");
}
