import { setImmediate } from "node:timers/promises";
import { createAccountDeletions } from "../account-life/account-deletions.ts";
import { createAccountPurge } from "../account-life/account-purge-store.ts";
import { createAccountActions } from "../accounts/account-actions.ts";
import { createAccountOperations } from "../accounts/account-operations.ts";
import { createAccountStateStore } from "../accounts/account-state-store.ts";
import { createAccountStore } from "../accounts/account-store.ts";
import { createAddressMoves } from "../accounts/address-moves.ts";
import { createBackupCodes } from "../accounts/backup-code-store.ts";
import { createOperatorStore } from "../accounts/operator-store.ts";
import { createPasskeyStore } from "../accounts/passkey-store.ts";
import { createPasswordReset } from "../accounts/password-reset.ts";
import { createSessionStore } from "../accounts/session-store.ts";
import { listMoves } from "../accounts/undone-move-store.ts";
import { type ApiKeyStore, createApiKeyStore } from "../api-keys/api-key-store.ts";
import { createLastUsed, type LastUsed, noteKeyEvery } from "../api-keys/last-used.ts";
import { type AuditChainStore, createAuditChainStore } from "../audit-log/audit-chain-store.ts";
import { createAuditLogStore } from "../audit-log/audit-list-store.ts";
import { recordAction, recordRepeated } from "../audit-log/audit-log-store.ts";
import { type CountedActions, createCountedActions } from "../audit-log/counted-actions.ts";
import { createOwedEntries, type OwedEntries } from "../audit-log/owed-entries.ts";
import { createAuth, type Passwords } from "../authentication/auth.ts";
import { createAuthenticate, createFindAgain } from "../authentication/authentication.ts";
import { createKnownBrowsers } from "../authentication/known-browsers.ts";
import { noteUseEvery } from "../config/session-limits.ts";
import { isUnwritable } from "../database/errors.ts";
import { createReport } from "../database/failed-rows.ts";
import { kindOf } from "../database/kind.ts";
import { createEmails, type Emails, type EmailsOptions } from "../mail/emails.ts";
import { createFailedMailStore } from "../mail/failed-mail-store.ts";
import { createInstanceInvitationStore } from "../operators/instance-invitation-store.ts";
import { createInstanceInvitations } from "../operators/instance-invitations.ts";
import { createInstanceStore, type InstanceStore } from "../operators/instance-store.ts";
import { createSignUpInvitations } from "../operators/sign-up-invitations.ts";
import { createAdmissionStore } from "../organizations/admission-store.ts";
import { createInvitationStore } from "../organizations/invitation-store.ts";
import { createInvitations, type Invitations } from "../organizations/invitations.ts";
import { createMemberChanges } from "../organizations/member-changes.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import { createOrganizationStore } from "../organizations/organization-store.ts";
import { createUndoChanges } from "../organizations/undo-changes.ts";
import { createRateLimitStore } from "../rate-limits/rate-limit-store.ts";
import { createRateLimits, type RateLimits } from "../rate-limits/rate-limits.ts";
import { createLoop } from "../time/loop.ts";
import type { Ground } from "./ground.ts";

export interface AccountsOptions {
  /** The transport of emails; tests bring a certificate authority of their own. */
  readonly emails?: EmailsOptions;
  /** Sign-ins and sign-ups a minute for an address, and for an email address; 0 is off. */
  readonly signInRate?: number;
  /** Requests a minute to the API key endpoints for an account, 20 by default; 0 is off. */
  readonly apiKeyRate?: number;
  /** Instead of the sign-in library's own: tests, whose accounts share a password, hash it once. */
  readonly passwords?: Passwords;
}

/** Who may ask, how often, and what is kept of it. */
export function openAccounts(ground: Ground, options: AccountsOptions) {
  const { config, database, secretBox, clock, address } = ground;
  const { sessionLimits } = config;
  const accounts = createAccountStore(database, { limits: sessionLimits, defaultPlan: config.defaultPlan });
  const sessions = createSessionStore(database, sessionLimits);
  const accountStates = createAccountStateStore(database);
  const apiKeys = createApiKeyStore(database);
  const emails = createEmails({
    ...{ config, database, secretBox, clock, accountStates },
    isClockTrusted: ground.isClockTrusted,
    baseUrl: address.baseUrl,
    ...options.emails,
  });
  const { sendSecurityMail } = emails;
  const operators = createOperatorStore(database);
  const passkeys = createPasskeyStore(database);
  const auth = openSignIn(ground, { accounts, accountStates, apiKeys, emails, passwords: options.passwords });
  const owedEntries = openOwedEntries(ground);
  const countedActions = openCountedActions(ground, owedEntries);
  const instance = createInstanceStore(database, clock);
  const organizations = openOrganizations(ground, { accounts, apiKeys, emails });
  return {
    ...{ accounts, accountStates, apiKeys, sessions, passkeys, emails, auth, countedActions },
    recordReading: owedEntries.recordReading,
    accountOperations: createAccountOperations({
      ...{ database, accounts, accountStates, apiKeys, operators, sendSecurityMail, clock },
    }),
    instance,
    failedEmails: createFailedMailStore(database),
    ...organizations,
    ...openInstanceInvitations(ground, { invitations: organizations.invitations, instance, emails }),
    auditLog: createAuditLogStore(database),
    lastUsed: openLastUsed(ground, apiKeys.noteUse, noteKeyEvery),
    sessionsLastUsed: openLastUsed(ground, sessions.noteUse, noteUseEvery(sessionLimits)),
    auditChain: openAuditChain(ground),
    rateLimits: openRateLimits(ground, options),
    authenticate: createAuthenticate({ auth, sessions: accounts, apiKeys, address, clock }),
    findAgain: createFindAgain({ sessions: accounts, apiKeys, clock }),
    knownBrowsers: createKnownBrowsers({
      ...{ secretBox, isHttps: address.isHttps, clock },
      findPasswordAccount: accounts.findPasswordAccount,
    }),
    addressMoves: createAddressMoves({
      ...{ database, accounts, apiKeys, clock, addAddressMail: emails.addAddressMail, wakeMail: emails.wake },
      undoChanges: organizations.undoChanges.undo,
      listConcerned: organizations.undoChanges.listConcerned,
      deletions: organizations.accountDeletions,
    }),
    accountActions: createAccountActions({
      ...{ auth, address, accounts, apiKeys, sessions, passkeys, sendSecurityMail, database, clock, countedActions },
      backupCodes: createBackupCodes({ accounts, secretBox, sendSecurityMail, database, clock }),
    }),
  };
}

export type Accounts = ReturnType<typeof openAccounts>;

function openOrganizations(
  { database, clock }: Ground,
  { accounts, apiKeys, emails }: Pick<SignInParts, "accounts" | "apiKeys" | "emails">,
) {
  const { sendSecurityMail, addInvitationMail } = emails;
  const members = createMemberStore(database);
  const organizations = createOrganizationStore(database);
  const life = { database, accounts, members, organizations, apiKeys, sendSecurityMail, clock };
  const invitationStore = createInvitationStore(database);
  const made = { invitations: invitationStore, admissions: createAdmissionStore(database) };
  return {
    ...{ members, organizations, invitationStore },
    accountDeletions: createAccountDeletions(life),
    purgeAccounts: createAccountPurge(life),
    memberChanges: createMemberChanges({ ...life, ...made }),
    undoChanges: createUndoChanges({
      ...life,
      ...made,
      listMoves: (transaction, organizationId, personId) =>
        listMoves(transaction, organizationId, personId, clock.now()),
    }),
    invitations: createInvitations({
      ...{ database, members, organizations, sendSecurityMail, addInvitationMail, clock },
      invitations: invitationStore,
    }),
  };
}

function openInstanceInvitations(
  { database, clock }: Ground,
  { invitations, instance, emails }: { invitations: Invitations; instance: InstanceStore; emails: Emails },
) {
  const instanceInvitationStore = createInstanceInvitationStore(database);
  const common = { instanceInvitations: instanceInvitationStore, database, clock };
  return {
    instanceInvitationStore,
    findInstanceInvitation: (token: string) => instanceInvitationStore.findByToken(token, clock.now()),
    instanceInvitations: createInstanceInvitations({ ...common, addInvitationMail: emails.addInvitationMail }),
    signUpInvitations: createSignUpInvitations({ ...common, invitations, instance }),
  };
}

interface SignInParts {
  readonly accounts: ReturnType<typeof createAccountStore>;
  readonly accountStates: ReturnType<typeof createAccountStateStore>;
  readonly apiKeys: ApiKeyStore;
  readonly emails: Emails;
  readonly passwords: AccountsOptions["passwords"];
}

function openSignIn(ground: Ground, { accounts, accountStates, apiKeys, emails, passwords }: SignInParts) {
  const { config, database, secretBox, clock, address, instanceId } = ground;
  const { sendReset, sendSecurityMail } = emails;
  return createAuth({
    ...{ clock, database, address, secretBox, instanceId, sendReset, passwords },
    signUp: config.signUp,
    defaultPlan: config.defaultPlan,
    sessionLimits: config.sessionLimits,
    onPasswordReset: createPasswordReset({ accounts, accountStates, apiKeys, sendSecurityMail, database, clock }),
    isDisabled: accountStates.isDisabled,
    endOldest: accounts.endOldest,
    verifiesAddresses: config.mail !== undefined && config.signUp === "open",
  });
}

/** A log is chained before it is read; this is for logs that nobody reads. */
const chainMilliseconds = 10 * 60_000;

function openAuditChain({ database, log, closers }: Ground): AuditChainStore {
  const auditChain = createAuditChainStore(database);
  const loop = createLoop({
    everyMilliseconds: chainMilliseconds,
    async run() {
      while (!loop.isStopped() && (await auditChain.chainSome())) await setImmediate();
    },
    report: createReport(log, "audit log"),
  });
  loop.start();
  closers.push(() => loop.stop());
  return auditChain;
}

function openOwedEntries({ database, log, closers }: Ground): OwedEntries {
  const owedEntries = createOwedEntries({
    record: (entry) => recordAction(database, entry),
    recordRepeated: (entry) => recordRepeated(database, entry),
    isUnwritable,
    tell({ action, accountId, actor, target }, became) {
      const members = { action, accountId, actor: actor.type, actorId: "id" in actor ? actor.id : undefined };
      const by = { personId: "personId" in actor ? actor.personId : undefined, targetId: target?.id };
      log.warn(
        { ...members, ...by },
        {
          owed: "the audit log has no room for an entry, which is written when there is",
          refused: "the audit log has no room for an entry, and too many wait for it: nothing else says what was read",
          lost: "an entry is missing in the audit log: it could not be written before the process ended",
        }[became],
      );
    },
    report: createReport(log, "audit log"),
  });
  owedEntries.start();
  closers.push(() => owedEntries.stop());
  return owedEntries;
}

function openCountedActions({ clock, log, closers }: Ground, owedEntries: OwedEntries): CountedActions {
  const countedActions = createCountedActions({
    record: owedEntries.record,
    recordRepeated: owedEntries.recordReading,
    clock,
    report: createReport(log, "audit log"),
  });
  countedActions.start();
  closers.push(() => countedActions.stop());
  return countedActions;
}

function openLastUsed<Id extends string>(
  { clock, closers }: Ground,
  noteUse: (id: Id, at: number, since: number) => Promise<void>,
  everyMilliseconds: number,
): LastUsed<Id> {
  const lastUsed = createLastUsed({ noteUse, everyMilliseconds, clock });
  closers.push(() => lastUsed.settle());
  return lastUsed;
}

function openRateLimits(
  { config, database, clock, closers }: Ground,
  { signInRate, apiKeyRate }: AccountsOptions,
): RateLimits {
  const { apiRate, submitRate } = config;
  const shared = kindOf(database) === "postgres" ? createRateLimitStore(database) : undefined;
  const rateLimits = createRateLimits({ apiRate, submitRate, signInRate, apiKeyRate, shared, clock });
  closers.push(() => rateLimits.stop());
  return rateLimits;
}
