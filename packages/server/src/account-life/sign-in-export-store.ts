import type { AccountId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";
import { toTime } from "./account-export-store.ts";

/** The sign-ins at identity providers that are linked to the account. */
export async function readLinkedSignIns(database: Database, id: AccountId) {
  const rows = await database.selectFrom("identity").selectAll().where("person_id", "=", id).orderBy("id").execute();
  return rows.map(
    ({ id: identityId, issuer, subject, name, admitted_by: admittedBy, linked_at: linkedAt, used_at: usedAt }) => ({
      ...{ id: identityId, issuer, subject, name, admittedBy, linkedAt, usedAt },
    }),
  );
}

/** Their public keys let nobody in. */
export async function readPasskeys(database: Database, id: AccountId) {
  const rows = await database.selectFrom("passkey").selectAll().where("person_id", "=", id).orderBy("id").execute();
  return rows.map(({ id: passkeyId, name, credential_id: credentialId, public_key: publicKey, ...row }) => ({
    ...{ id: passkeyId, name, credentialId, publicKey },
    userHandle: row.user_handle,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports),
    addedAt: row.added_at,
    usedAt: row.used_at,
  }));
}

/** At most 100. Their tokens are secrets. */
export async function readSessions(database: Database, id: AccountId) {
  const rows = await database.selectFrom("session").selectAll().where("person_id", "=", id).execute();
  return rows.map((row) => {
    const {
      ip_address: address = null,
      user_agent: userAgent = null,
      updated_at = null,
    } = row as typeof row & LibraryColumns; // its own columns
    return {
      id: row.id,
      address,
      userAgent,
      browser: row.browser,
      createdAt: toTime(row.created_at),
      usedAt: row.last_used_at,
      renewedAt: toTime(updated_at),
      authenticatedAt: row.authenticated_at,
      expiresAt: toTime(row.expires_at),
      endsAt: row.ends_at,
      organizationId: row.organization_id,
      secondFactor: row.second_factor,
      linkedSignInId: row.identity_id,
      passkeyId: row.passkey_id,
    };
  });
}

interface LibraryColumns {
  readonly ip_address?: string | null;
  readonly user_agent?: string | null;
  readonly updated_at?: string | Date | null;
}
