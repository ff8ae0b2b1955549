import { createHash } from "node:crypto";
import { createListPart, fetchParts, RefusalError, type SignedPart, verifyList } from "@sealpost/envelope";
import { orNone } from "@sealpost/sdk";
import type { fetchList, Signer } from "./test-member-list.ts";

/** The content of an entry, as a careless or hostile owner may change it. */
export interface Content {
  change: string;
  signedBy: string;
  member: { id: string; name: string; role: string; recipient: string; signingKey: string | null };
  edges: Record<string, readonly string[]>;
  [name: string]: unknown;
}

export async function signPart(by: Signer, seen?: Parameters<typeof fetchList>[1]): Promise<SignedPart> {
  return createListPart(await fetchWhole(by, seen), by.signer);
}

/** The same part with other entries, each signed with the key of the one who signs it, `keys` by their ids, one after the other. */
export async function alterPart(
  { part }: Pick<SignedPart, "part">,
  keys: ReadonlyMap<string, CryptoKey>,
  alter: (entries: Content[]) => Content[],
): Promise<string> {
  const contents = part.split("\n").filter((_, index, { length }) => index % 2 === 0 && index < length - 1);
  const entries = contents.map((line) => JSON.parse(line) as Content); // as it was just written
  let [number, previous] = [Number(entries[0]?.number), entries[0]?.previous];
  let text = "";
  for (const entry of alter(entries)) {
    const line = JSON.stringify({ ...entry, number, previous });
    const key = keys.get(entry.signedBy);
    if (key === undefined) throw new Error(`No key of ${entry.signedBy}`);
    const signed = await crypto.subtle.sign("Ed25519", key, new TextEncoder().encode(`sealpost-list/1\n${line}`));
    text += `${line}\n${JSON.stringify({ signature: Buffer.from(signed).toString("base64url") })}\n`;
    previous = createHash("sha256").update(line).digest("base64url");
    number += 1;
  }
  return text;
}

/** All parts, from the first entry on, which the person's own key has signed, or from a head that they have seen. */
export async function fetchWhole(by: Signer, seen?: Parameters<typeof fetchList>[1]) {
  const { memberList } = by.client;
  const bytes = await fetchParts((entry) => orNone(entry === undefined ? memberList.get() : memberList.part(entry)));
  const list = await verifyList(bytes ?? new Uint8Array(), {
    organizationId: by.organizationId,
    trust: seen === undefined ? { signingKey: by.key.signingKey } : { head: seen },
    names: await memberList.names(),
  });
  if (list instanceof RefusalError) throw list;
  return list;
}
