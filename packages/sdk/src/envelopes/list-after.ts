import { addNames, RefusalError, type SignedEntry, verifyNextEntry } from "@sealpost/envelope";
import type { KnownList } from "./envelope-client.ts";
import type { ListToCheck } from "./key-agent.ts";

/** A list with one more entry, as it will be once that is added: for signing the entry after it, which goes along in the same request. */
export async function listAfter(
  { list, bytes, names }: KnownList,
  organizationId: string,
  { entry, names: made }: SignedEntry,
): Promise<ListToCheck> {
  const added = new TextEncoder().encode(entry);
  const verified = await verifyNextEntry(list, organizationId, added);
  if (verified instanceof RefusalError) throw verified;
  return {
    organizationId,
    bytes: new Uint8Array([...bytes, ...added]),
    names: addNames(organizationId, names, made),
    head: verified.list.head,
  };
}
