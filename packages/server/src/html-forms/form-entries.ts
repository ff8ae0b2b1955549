import { MIMEType } from "node:util";
import { readMultipart } from "./multipart.ts";
import { readUrlencoded } from "./urlencoded.ts";

/** More than a submission may have, because control fields and captcha tokens are among the entries. */
export const entriesMax = 2000;

/**
 * The entries of a posted form, in their order; `undefined` when there are more than `entriesMax`. They are counted before
 * they are decoded: half a million fit into 1 MiB. Throws where the body is not what `contentType` says.
 */
export async function readFormEntries(
  body: Buffer,
  contentType: string,
): Promise<Iterable<readonly [string, unknown]> | undefined> {
  const type = new MIMEType(contentType);
  if (type.essence === "application/x-www-form-urlencoded")
    return hasMore(body, "&", entriesMax) ? undefined : readUrlencoded(body);
  return readMultipart(body, type.params.get("boundary") ?? "", entriesMax);
}

function hasMore(body: Buffer, mark: string, max: number): boolean {
  let position = -1;
  for (let count = 0; count <= max; count++) {
    position = body.indexOf(mark, position + 1, "latin1");
    if (position === -1) return false;
  }
  return true;
}
