import type { AccountId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";
import { type RunPage, withoutTurns } from "../time/page-turns.ts";
import {
  readAccount,
  readAddressMove,
  readApiKeys,
  readEmails,
  readInvitations,
  readOrganizations,
} from "./account-export-store.ts";
import { readAuditEntries } from "./audit-export-store.ts";
import {
  readAdmissions,
  readFormerKeys,
  readKeyCopies,
  readMemberListEntries,
  readMemberListNames,
  readPersonalKey,
  readSignedHeads,
} from "./key-export-store.ts";
import { readLinkedSignIns, readPasskeys, readSessions } from "./sign-in-export-store.ts";

/** The name of the format, and its version: docs/accounts.md says what is in it. */
export const exportFormat = "sealpost-account/1";

/**
 * Everything that the instance knows about a person, as one JSON object in pieces (GDPR, articles 15 and 20). No secrets, and nothing
 * about others; what forms received belongs to their organizations, and is exported there. So does what hangs on an organization that has
 * the person's id: they may not see it any more.
 */
export async function* exportAccount(
  database: Database,
  personId: AccountId,
  now: number,
  runPage: RunPage = withoutTurns,
): AsyncGenerator<string> {
  const account = await readAccount(database, personId);
  // Anyone can sign up with an address: what is kept for it is theirs once they have shown that they read it.
  const ownEmail = account.emailVerified ? account.email : undefined;
  const members: Readonly<Record<string, unknown>> = {
    format: exportFormat,
    exportedAt: now,
    account,
    addressMove: await runPage(() => readAddressMove(database, personId)),
    linkedSignIns: await runPage(() => readLinkedSignIns(database, personId)),
    passkeys: await runPage(() => readPasskeys(database, personId)),
    personalKey: await runPage(() => readPersonalKey(database, personId)),
    keyCopies: await runPage(() => readKeyCopies(database, personId)),
    formerKeys: await runPage(() => readFormerKeys(database, personId)),
    signedHeads: await runPage(() => readSignedHeads(database, personId)),
    sessions: await runPage(() => readSessions(database, personId)),
    organizations: await runPage(() => readOrganizations(database, personId)),
    admissions: await runPage(() => readAdmissions(database, personId, ownEmail)),
    memberListEntries: await runPage(() => readMemberListEntries(database, personId)),
    memberListNames: await runPage(() => readMemberListNames(database, personId)),
    apiKeys: await runPage(() => readApiKeys(database, personId)),
    invitations: await runPage(() => readInvitations(database, personId, account)),
  };
  const written = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  yield `{${written.join(",\n")}`;
  yield* writeList("emails", readEmails(database, personId, account.email, runPage));
  yield* writeList("auditEntries", readAuditEntries(database, personId, runPage));
  yield "}\n";
}

async function* writeList(name: string, items: AsyncIterable<object>): AsyncGenerator<string> {
  yield `,\n${JSON.stringify(name)}:[`;
  let separator = "\n";
  for await (const item of items) {
    yield `${separator}${JSON.stringify(item)}`;
    separator = ",\n";
  }
  yield "]";
}
