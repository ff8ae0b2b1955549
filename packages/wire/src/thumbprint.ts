import { encodeBase64Url } from "./base64.ts";
import { encodeText } from "./bytes.ts";

/** RFC 7638: SHA-256 in base64url, 43 characters. `members` are those that the key's kind requires, in the order of their names. */
export async function thumbprint(members: Readonly<Record<string, string>>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encodeText(JSON.stringify(members)));
  return encodeBase64Url(new Uint8Array(digest));
}
