import type { AccountId } from "@sealpost/wire";
import { createApiKeyStore } from "../api-keys/api-key-store.ts";
import { revokeApiKeys } from "../api-keys/revoke-api-keys.ts";
import type { AuditAction } from "../audit-log/audit-entry.ts";
import { recordOperatorAction } from "../audit-log/operator-entries.ts";
import { findNameError, findPasswordError } from "../authentication/account-input.ts";
import { createAuth } from "../authentication/auth.ts";
import { createOwnHeaders } from "../authentication/better-auth-request.ts";
import { findCommonPasswordError } from "../authentication/common-passwords.ts";
import type { Config, Plan } from "../config/config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import { openInstance } from "../instance/instance.ts";
import { createOwnAddress } from "../instance/own-address.ts";
import { loadSecrets } from "../instance/secret-file.ts";
import { findAddressError } from "../mail/recipient.ts";
import { createSendSecurityMail, type PersonMail } from "../mail/security-mail-store.ts";
import { type ListedAccount, listAccounts } from "../quotas/account-usage-store.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { createAccountOperations } from "./account-operations.ts";
import { createAccountStateStore } from "./account-state-store.ts";
import { createAccountStore } from "./account-store.ts";
import { isAddressReserved } from "./address-move-store.ts";
import { endInvitationsOf } from "./ended-invitation-store.ts";
import { createIdentityStore, endLinkedIdentities } from "./identity-store.ts";
import { createOperatorStore } from "./operator-store.ts";
import { endPasskeys } from "./passkey-store.ts";

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly plan: Plan;
}

/**
 * The operator's actions on accounts from the command line; works alongside a running service. Each throws an Error with a
 * sentence for the operator when the email address or the password won't do.
 */
export interface AccountAdministration {
  create(account: NewAccount): Promise<AccountId>;
  setPlan(email: string, plan: Plan): Promise<AccountId>;
  /** Ends every session of the account, and revokes its API keys unless they are to be kept. */
  resetPassword(email: string, password: string, keepsApiKeys: boolean): Promise<Revoked>;
  /**
   * For an owner who lost the device: takes codes and passkeys away. Throws when the account has neither; API keys stay, and
   * sessions that no passkey has opened.
   */
  resetSecondFactor(email: string): Promise<AccountId>;
  /**
   * Nobody gets in: its sessions end, its API keys are refused, it can't sign in. Its forms accept submissions, and webhooks
   * continue.
   */
  disable(email: string): Promise<Switched>;
  /** Its API keys count again; sessions stay ended. */
  enable(email: string): Promise<Switched>;
  /** Vouches for the email address. */
  verify(email: string): Promise<Switched>;
  revokeKeys(email: string): Promise<Revoked>;
  /** Also sign-ins that wait for a code, mailed links, and invitations that the person made. How many sessions there were. */
  endSessions(email: string): Promise<{ readonly id: AccountId; readonly count: number }>;
  /** Lets the person use the instance page, or no longer. */
  setOperator(email: string, isOperator: boolean): Promise<Switched>;
  /** Every account with what it stores, in the order in which they were made. */
  list(): AsyncGenerator<AccountLine>;
}

export interface AccountLine extends Omit<ListedAccount, "accountId" | "bytesMax" | "isOperator" | "isDisabled"> {
  readonly id: AccountId;
  readonly operator: boolean;
  readonly disabled: boolean;
  /** `null`: nothing limits it, or it is not known yet. */
  readonly bytesMax: number | null;
}

const commandLine = { type: "operator" } as const;

/** Bounds what one statement reads. */
const listBatch = 500;

/** An action that may be repeated: the second time changes nothing, and nobody is notified. */
export interface Switched {
  readonly id: AccountId;
  readonly wasSoAlready: boolean;
}

export interface Revoked {
  readonly id: AccountId;
  /** How many API keys were revoked. */
  readonly count: number;
}

export async function createAccountAdministration(
  database: Database,
  config: Config,
  clock: Clock = systemClock,
): Promise<AccountAdministration> {
  const secrets = loadSecrets(config.secrets, config.dataFolder);
  const { id: instanceId, secretBox } = await openInstance(database, secrets, clock.now());
  const address = createOwnAddress(config);
  const accountStates = createAccountStateStore(database);
  const accounts = createAccountStore(database);
  const auth = createAuth({
    clock,
    database,
    address,
    secretBox,
    signUp: "closed",
    defaultPlan: config.defaultPlan,
    instanceId,
    isDisabled: accountStates.isDisabled,
    endOldest: accounts.endOldest,
  });
  const apiKeys = createApiKeyStore(database);
  const sendSecurityMail = createSendSecurityMail({ hasMail: config.mail !== undefined });
  const operators = createOperatorStore(database);
  const operations = createAccountOperations({
    ...{ database, accounts, accountStates, apiKeys, operators, sendSecurityMail, clock },
  });
  /** Called again once the row is written, which waits for a move under way. */
  async function refuseReserved(email: string): Promise<void> {
    if (await isAddressReserved(database, email))
      throw new Error(
        `${email} was another account's address, which can still take it back: wait until seven days after its move`,
      );
  }

  return {
    async create({ email, name, password, plan }) {
      refuse(findAddressError(email));
      refuse(findPasswordError(password) ?? (await findCommonPasswordError(password, [email, name])));
      if (name !== "") refuse(findNameError(name));
      if ((await accounts.findByEmail(email)) !== undefined)
        throw new Error(`There is an account for ${email} already`);
      await refuseReserved(email);
      // Through the library's own sign-up, so that the hash and the rows are exactly what sign-in expects.
      const headers = createOwnHeaders(address);
      return runAsUnit(database, async () => {
        const { user } = await auth.api.signUpEmail({ body: { email, name, password }, headers });
        const id = user.id as AccountId; // made by createId("account") in auth.ts
        await refuseReserved(email);
        // Signing up also signs in; nobody is there to use that session.
        await accounts.endSessions(database, id);
        await accounts.setPlan(database, id, plan);
        await database.transaction().execute((transaction) => accountStates.markVerified(transaction, id));
        await database.transaction().execute((transaction) => tell(transaction, id, "account.created"));
        return id;
      });
    },
    async setPlan(email, plan) {
      const id = await load(email);
      if ((await accounts.findPlan(id)) === undefined)
        throw new Error(
          `${email} has no organization of their own: sealpost-server organization set-plan is for the others`,
        );
      await operations.setPlan(id, plan, commandLine);
      return id;
    },
    async resetPassword(email, password, keepsApiKeys) {
      refuse(findPasswordError(password) ?? (await findCommonPasswordError(password, [email])));
      const id = await load(email);
      const { password: hashing, internalAdapter } = await auth.$context;
      const hash = await hashing.hash(password);
      const hasPassword = await createIdentityStore(database).hasPassword(id);
      const isUnproven = await accountStates.isVerificationNeeded(id);
      const setPassword = async () => {
        if (hasPassword) await internalAdapter.updatePassword(id, hash);
        else
          await internalAdapter.createAccount({
            ...{ userId: id, accountId: id },
            providerId: "credential",
            password: hash,
          });
      };
      const endOthers = async (transaction: DatabaseTransaction) => {
        await accounts.endSessions(transaction, id);
        await accounts.endPending(transaction, id);
        await endInvitationsOf(transaction, id, byOperator(id));
        if (isUnproven) await endLinkedIdentities(transaction, id, byOperator(id), "all");
        else if (!keepsApiKeys) await endLinkedIdentities(transaction, id, byOperator(id));
        if (isUnproven || !keepsApiKeys) await endPasskeys(transaction, id, byOperator(id));
        const revoked = keepsApiKeys ? 0 : await revokeApiKeys(transaction, apiKeys, id, byOperator(id));
        await tell(transaction, id, "password.reset");
        await mail(transaction, id, "password_reset_by_operator", revoked);
        return revoked;
      };
      return runAsUnit(
        database,
        async () => {
          await setPassword();
          const count = await database.transaction().execute(endOthers);
          // Somebody who knew the password before may have used up the owner's codes.
          await accounts.unlock(id);
          return { id, count };
        },
        { first: (transaction) => lockRightsOf(transaction, id) },
      );
    },
    async resetSecondFactor(email) {
      const id = await load(email);
      await database.transaction().execute(async (transaction) => {
        await lockRightsOf(transaction, id);
        const hadApp = await accounts.removeSecondFactor(transaction, id);
        const passkeys = await endPasskeys(transaction, id, byOperator(id));
        if (!hadApp && passkeys === 0) throw new Error(`The account for ${email} has no second factor`);
        await endInvitationsOf(transaction, id, byOperator(id));
        await tell(transaction, id, "second_factor.reset");
        await mail(transaction, id, "second_factor_reset");
      });
      return id;
    },
    async disable(email) {
      const id = await load(email);
      return { id, wasSoAlready: !(await operations.disable(id, commandLine, { mayLeaveWithoutOwner: true })) };
    },
    async enable(email) {
      const id = await load(email);
      return { id, wasSoAlready: !(await operations.enable(id, commandLine)) };
    },
    async verify(email) {
      const id = await load(email);
      return { id, wasSoAlready: !(await operations.verify(id, commandLine)) };
    },
    async revokeKeys(email) {
      const id = await load(email);
      return { id, count: await operations.revokeKeys(id, commandLine) };
    },
    async endSessions(email) {
      const id = await load(email);
      return { id, count: await operations.endSessions(id, commandLine) };
    },
    async setOperator(email, isOperator) {
      const id = await load(email);
      return { id, wasSoAlready: !(await operations.setOperator(id, isOperator, commandLine)) };
    },
    async *list() {
      let after = "";
      for (let isLast = false; !isLast; ) {
        const accounts = await listAccounts(database, after, listBatch);
        for (const { accountId: id, isOperator: operator, isDisabled: disabled, ...account } of accounts)
          yield {
            id,
            ...account,
            bytesMax: (config.hasQuotas ? account.bytesMax : undefined) ?? null,
            operator,
            disabled,
          };
        after = accounts.at(-1)?.accountId ?? "";
        isLast = accounts.length < listBatch;
      }
    },
  };

  async function tell(transaction: DatabaseTransaction, id: AccountId, action: AuditAction): Promise<void> {
    const { name = "", organizations = [id] } = (await operators.lockPerson(transaction, id)) ?? {};
    const entry = { subject: { id, name }, organizations, actor: commandLine, occurredAt: clock.now(), action };
    await recordOperatorAction(transaction, entry);
  }

  function byOperator(accountId: AccountId) {
    return { accountId, actor: commandLine, occurredAt: clock.now() };
  }

  function mail(
    transaction: DatabaseTransaction,
    accountId: AccountId,
    event: PersonMail["event"],
    count?: number,
  ): Promise<void> {
    return sendSecurityMail(transaction, { accountId, event, occurredAt: clock.now(), count });
  }

  async function load(email: string): Promise<AccountId> {
    const id = await accounts.findByEmail(email);
    if (id === undefined) throw new Error(`There is no account for ${email}`);
    return id;
  }
}

function refuse(issue: string | undefined): void {
  if (issue !== undefined) throw new Error(issue);
}
