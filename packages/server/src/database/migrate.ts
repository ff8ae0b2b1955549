import { type Migration, Migrator } from "kysely/migration";
import type { Database } from "./database.ts";
import { isDeadlock } from "./errors.ts";
import * as initial from "./migrations/0001-initial.ts";
import * as retention from "./migrations/0002-retention.ts";
import * as secondFactorAndAuditLog from "./migrations/0003-second-factor-and-audit-log.ts";
import * as mail from "./migrations/0004-mail.ts";
import * as formSettings from "./migrations/0005-form-settings.ts";
import * as wideTombstones from "./migrations/0006-wide-tombstones.ts";
import * as quotas from "./migrations/0007-quotas.ts";
import * as securityMail from "./migrations/0008-security-mail.ts";
import * as freshSession from "./migrations/0008b-fresh-session.ts";
import * as accountState from "./migrations/0008c-account-state.ts";
import * as webhookSecrets from "./migrations/0009-webhook-secrets.ts";
import * as auditDetails from "./migrations/0009b-audit-details.ts";
import * as bin from "./migrations/0010-bin.ts";
import * as keyProofs from "./migrations/0011-key-proofs.ts";
import * as unsubscribeLinks from "./migrations/0012-unsubscribe-links.ts";
import * as bodiesFromRows from "./migrations/0013-bodies-from-rows.ts";
import * as formKeys from "./migrations/0014-form-keys.ts";
import * as hybridKeys from "./migrations/0015-hybrid-keys.ts";
import * as organizations from "./migrations/0016-organizations.ts";
import * as formHolds from "./migrations/0017-form-holds.ts";
import * as sessions from "./migrations/0018-sessions.ts";
import * as auditChain from "./migrations/0019-audit-chain.ts";
import * as secondFactorRule from "./migrations/0020-second-factor-rule.ts";
import * as identities from "./migrations/0021-identities.ts";
import * as operators from "./migrations/0022-operators.ts";
import * as apiKeyLimits from "./migrations/0023-api-key-limits.ts";
import * as accountLife from "./migrations/0024-account-life.ts";
import * as instanceInvitations from "./migrations/0025-instance-invitations.ts";
import * as passkeys from "./migrations/0026-passkeys.ts";
import * as auditOfPerson from "./migrations/0027-audit-of-person.ts";
import * as webhookByDeveloper from "./migrations/0028-webhook-by-developer.ts";
import * as instanceLists from "./migrations/0029-instance-lists.ts";
import * as envelopes from "./migrations/0030-envelopes.ts";
import * as personalKeys from "./migrations/0031-personal-keys.ts";
import * as closedKeyVersions from "./migrations/0032-closed-key-versions.ts";
import * as keyLogs from "./migrations/0033-key-logs.ts";
import * as formerKeys from "./migrations/0034-former-keys.ts";
import * as recoveryRule from "./migrations/0035-recovery-rule.ts";
import * as admissions from "./migrations/0036-admissions.ts";
import * as deviceRequests from "./migrations/0037-device-requests.ts";
import * as signedHeads from "./migrations/0038-signed-heads.ts";

/** Every migration, in order. Append only: what has been released is never edited. */
export const migrations: Record<string, Migration> = {
  "0001-initial": initial,
  "0002-retention": retention,
  "0003-second-factor-and-audit-log": secondFactorAndAuditLog,
  "0004-mail": mail,
  "0005-form-settings": formSettings,
  "0006-wide-tombstones": wideTombstones,
  "0007-quotas": quotas,
  "0008-security-mail": securityMail,
  "0008b-fresh-session": freshSession,
  "0008c-account-state": accountState,
  "0009-webhook-secrets": webhookSecrets,
  "0009b-audit-details": auditDetails,
  "0010-bin": bin,
  "0011-key-proofs": keyProofs,
  "0012-unsubscribe-links": unsubscribeLinks,
  "0013-bodies-from-rows": bodiesFromRows,
  "0014-form-keys": formKeys,
  "0015-hybrid-keys": hybridKeys,
  "0016-organizations": organizations,
  "0017-form-holds": formHolds,
  "0018-sessions": sessions,
  "0019-audit-chain": auditChain,
  "0020-second-factor-rule": secondFactorRule,
  "0021-identities": identities,
  "0022-operators": operators,
  "0023-api-key-limits": apiKeyLimits,
  "0024-account-life": accountLife,
  "0025-instance-invitations": instanceInvitations,
  "0026-passkeys": passkeys,
  "0027-audit-of-person": auditOfPerson,
  "0028-webhook-by-developer": webhookByDeveloper,
  "0029-instance-lists": instanceLists,
  "0030-envelopes": envelopes,
  "0031-personal-keys": personalKeys,
  "0032-closed-key-versions": closedKeyVersions,
  "0033-key-logs": keyLogs,
  "0034-former-keys": formerKeys,
  "0035-recovery-rule": recoveryRule,
  "0036-admissions": admissions,
  "0037-device-requests": deviceRequests,
  "0038-signed-heads": signedHeads,
};

/** An older version that serves the database may lock the same tables in another order. PostgreSQL finds that out after a second. */
const attemptsMax = 20;

/**
 * Brings the database to the newest version, all that is missing in one transaction. Throws what failed; nothing has changed
 * then, and the version before keeps working on the unchanged database.
 */
export async function migrate(database: Database, known: Record<string, Migration> = migrations): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => known },
  });
  let { error } = await migrator.migrateToLatest();
  for (let attempt = 2; isDeadlock(error) && attempt <= attemptsMax; attempt++)
    ({ error } = await migrator.migrateToLatest());
  const newer =
    error instanceof Error ? /previously executed migration (\S+) is missing/.exec(error.message)?.[1] : undefined;
  if (newer !== undefined)
    throw new Error(
      `A newer version of Sealpost was started on this database (${newer}): run that version, or restore a backup that this one has made`,
      { cause: error },
    );
  if (error !== undefined) throw error;
}
