import { isUtf8 } from "node:buffer";
import { MIMEType } from "node:util";

/** More than a submission may have, because control fields and captcha tokens are among the entries. */
export const entriesMax = 2000;

/** Bytes of the headers of all parts of a multipart form: a thousand with the longest names that are taken. */
const headerBytesMax = 400_000;

/**
 * The entries of a posted form, in their order; `undefined` when there are more than `entriesMax`, or their
 * headers are too long. They are counted before
 * they are parsed: half a million fit into 1 MiB, and the platform takes two seconds for them. Throws where the body is not
 * what `contentType` says.
 */
export async function readFormEntries(
  body: Buffer,
  contentType: string,
): Promise<Iterable<readonly [string, unknown]> | undefined> {
  const type = new MIMEType(contentType);
  const isUrlencoded = type.essence === "application/x-www-form-urlencoded";
  const boundary = `--${type.params.get("boundary")}`;
  if (isUrlencoded ? hasMore(body, "&", entriesMax) : !hasParts(body, boundary)) return undefined;
  const bytes = isUrlencoded ? Buffer.from(unescapeBytes(body.toString("latin1")), "latin1") : body;
  const decode = findDecoder(bytes, body, isUrlencoded ? urlencodedCharset : multipartCharset);
  if (isUrlencoded && decode !== undefined) return readPairs(body.toString("latin1"), decode);
  const utf8 = decode === undefined ? body : Buffer.from(decode(body));
  // Some encodings drop bytes: a boundary that has them is counted once they are gone.
  if (utf8 !== body && !hasParts(utf8, boundary)) return undefined;
  return new Response(new Uint8Array(utf8), { headers: { "content-type": contentType } }).formData();
}

/** The field that browsers fill in with the name of the page's encoding (HTML, section 4.10.18.6.5). */
const urlencodedCharset = /(?:^|&)_charset_=([\w.:-]+)/;
const multipartCharset = /; name="_charset_"\r\n\r\n([\w.:-]+)\r\n/;

/**
 * Browsers post in the encoding of the page, and name it nowhere but in `_charset_`: then bytes that happen to be UTF-8 as well mean
 * something else. Without that field, bytes that are not UTF-8 are taken for windows-1252, which browsers assume of a page that names none.
 * `undefined` for UTF-8, in which browsers also post pages in UTF-16.
 */
function findDecoder(bytes: Buffer, body: Buffer, charset: RegExp): ((bytes: Buffer) => string) | undefined {
  const label = charset.exec(body.toString("latin1"))?.[1];
  const named = label === undefined ? undefined : findEncoding(label);
  if (named !== undefined && !named.encoding.startsWith("utf-")) return (some) => named.decode(some);
  if (isUtf8(bytes)) return undefined;
  const assumed = new TextDecoder("windows-1252");
  return (some) => assumed.decode(some);
}

function findEncoding(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    // Not an encoding that browsers know.
    return undefined;
  }
}

/** Parses `application/x-www-form-urlencoded` (URL, section 5.1), for bytes that the platform would take for UTF-8. */
function readPairs(body: string, decode: (bytes: Buffer) => string): (readonly [string, string])[] {
  const pairs = body.split("&").filter((pair) => pair !== "");
  return pairs.map((pair) => {
    const end = pair.indexOf("=");
    const [name, value] = end === -1 ? [pair, ""] : [pair.slice(0, end), pair.slice(end + 1)];
    const read = (text: string) => decode(Buffer.from(unescapeBytes(text), "latin1"));
    return [read(name), read(value)];
  });
}

/** A character for each byte. */
function unescapeBytes(text: string): string {
  return text
    .replaceAll("+", " ")
    .replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function hasMore(body: Buffer, mark: string, max: number): boolean {
  let position = -1;
  for (let count = 0; count <= max; count++) {
    position = body.indexOf(mark, position + 1, "latin1");
    if (position === -1) return false;
  }
  return true;
}

/** Whether there are as many parts as may be, with headers as long as may be: the platform reads those byte by byte. */
function hasParts(body: Buffer, boundary: string): boolean {
  let headerBytes = 0;
  let position = body.indexOf(boundary, 0, "latin1");
  for (let count = 0; position !== -1; count++) {
    const next = body.indexOf(boundary, position + 1, "latin1");
    const head = body.subarray(position, next === -1 ? undefined : next).indexOf("\r\n\r\n");
    headerBytes += Math.max(head, 0);
    if (count > entriesMax || headerBytes > headerBytesMax) return false;
    position = next;
  }
  return true;
}
