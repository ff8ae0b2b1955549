import { MIMEType } from "node:util";

/** More than a submission may have, because control fields and captcha tokens are among the entries. */
export const entriesMax = 2000;

/**
 * The entries of a posted form, in their order; `undefined` when there are more than `entriesMax`. They are counted before
 * they are parsed: half a million fit into 1 MiB, and the platform takes two seconds for them. Throws where the body is not
 * what `contentType` says.
 */
export async function readFormEntries(
  body: Buffer,
  contentType: string,
): Promise<Iterable<readonly [string, unknown]> | undefined> {
  const type = new MIMEType(contentType);
  const isUrlencoded = type.essence === "application/x-www-form-urlencoded";
  const mark = isUrlencoded ? "&" : `--${type.params.get("boundary")}`;
  if (hasMore(body, mark, entriesMax)) return undefined;
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
