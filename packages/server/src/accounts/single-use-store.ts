import { createHash } from "node:crypto";
import type { Database } from "../database/database.ts";

/** A value that is valid once, and remembered until it has expired anyway. */
export interface SingleUse {
  readonly kind: "oidc-state" | "passkey-challenge";
  readonly value: string;
  readonly now: number;
  readonly expiresAt: number;
}

/** Uses it up; false when it was used before. The sign-in library removes rows that have expired. */
export async function useOnce(database: Database, { kind, value, now, expiresAt }: SingleUse): Promise<boolean> {
  const id = createHash("sha256").update(`${kind}/${value}`).digest("base64url");
  const at = new Date(now).toISOString();
  // The key of the row decides which of two simultaneous uses is the first.
  const { numInsertedOrUpdatedRows } = await database
    .insertInto("verification")
    .values({
      ...{ id, identifier: id, value: kind },
      expires_at: new Date(expiresAt).toISOString(),
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
