import { createHash } from "node:crypto";
import type { Signer as ListSigner } from "@sealpost/envelope";
import { formatTime, noExtensions } from "@sealpost/wire";
import type { Database } from "../../database/database.ts";

/** A change of an entry that may be written again and again. */
export type Repeated = { readonly change: "note" } | { readonly change: "vouch"; readonly members: readonly string[] };

/** Adds signed entries to a stored list, up to this number, as if they had been there for long: nothing checks them here. */
export async function extendList(
  database: Database,
  organizationId: string,
  { id, signingKey }: ListSigner,
  change: Repeated,
  to: number,
): Promise<void> {
  const last = await database
    .selectFrom("list_entry")
    .select(["number", "hash", "list_bytes"])
    .where("organization_id", "=", organizationId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  let { hash, list_bytes: bytes } = last;
  const rows = [];
  for (let number = last.number + 1; number <= to; number++) {
    const { line, entry } = await sign(signingKey, {
      ...{ format: "sealpost-list/1", organizationId, number, previous: hash, writtenAt: formatTime(0), signedBy: id },
      ...{
        change: change.change,
        admission: null,
        ...("members" in change && { members: change.members, shown: number - 1 }),
      },
      ...noExtensions,
    });
    hash = createHash("sha256").update(line).digest("base64url");
    bytes += entry.length;
    const about = { member_id: id, signer_id: id, added_at: 0 };
    rows.push({ organization_id: organizationId, number, hash, entry, list_bytes: bytes, ...about });
  }
  for (let start = 0; start < rows.length; start += 256)
    await database
      .insertInto("list_entry")
      .values(rows.slice(start, start + 256))
      .execute();
}

/** An entry's two lines, whatever is in it. */
export async function sign(signingKey: CryptoKey, content: object) {
  const line = JSON.stringify(content);
  const signature = await crypto.subtle.sign(
    "Ed25519",
    signingKey,
    new TextEncoder().encode(`sealpost-list/1\n${line}`),
  );
  return { line, entry: `${line}\n${JSON.stringify({ signature: Buffer.from(signature).toString("base64url") })}\n` };
}
