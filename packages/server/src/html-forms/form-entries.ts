import { MIMEType } from "node:util";

/** More than a submission may have, because control fields and captcha tokens are among the entries. */
export const entriesMax = 2000;

/** Of all parts of a multipart form: a thousand with the longest names that are taken. */
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
  if (isUrlencoded ? hasMore(body, "&", entriesMax) : !hasParts(body, `--${type.params.get("boundary")}`))
    return undefined;
  return new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
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
