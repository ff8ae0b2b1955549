import { isUtf8 } from "node:buffer";
import { MIMEType } from "node:util";
import { findEncoding, windows1252 } from "./encodings.ts";
import { readUrlencoded } from "./urlencoded.ts";

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
  if (type.essence === "application/x-www-form-urlencoded")
    return hasMore(body, "&", entriesMax) ? undefined : readUrlencoded(body);
  const boundary = `--${type.params.get("boundary")}`;
  if (!hasParts(body, boundary)) return undefined;
  const utf8 = toUtf8(body);
  // Some encodings drop bytes: a boundary that has them is counted once they are gone.
  if (utf8 !== body && !hasParts(utf8, boundary)) return undefined;
  return new Response(new Uint8Array(utf8), { headers: { "content-type": contentType } }).formData();
}

const charset = /; name="_charset_"\r\n\r\n([\w.:-]+)\r\n/;

/** As for `readUrlencoded`: in the encoding that `_charset_` names, else in UTF-8 if it is that, else in windows-1252. */
function toUtf8(body: Buffer): Buffer {
  const label = charset.exec(body.toString("latin1"))?.[1];
  const named = label === undefined ? undefined : findEncoding(label);
  if (named === undefined && isUtf8(body)) return body;
  return Buffer.from((named ?? windows1252).decode(body));
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
