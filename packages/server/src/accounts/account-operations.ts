import type { AccountId } from "@sealpost/wire";
import type { ApiKeyStore } from "../api-keys/api-key-store.ts";
import { revokeApiKeys } from "../api-keys/revoke-api-keys.ts";
import { type OperatorActor, type OperatorEntry, recordOperatorAction } from "../audit-log/operator-entries.ts";
import type { Plan } from "../config/config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { byNobody, type PersonMail, type SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountStateStore } from "./account-state-store.ts";
import type { AccountStore } from "./account-store.ts";
import { endInstanceInvitationsOf, endInvitationsOf } from "./ended-invitation-store.ts";
import type { ConcernedPerson, OperatorStore } from "./operator-store.ts";

export interface AccountOperationDependencies {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly accountStates: AccountStateStore;
  readonly apiKeys: ApiKeyStore;
  readonly operators: OperatorStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

export interface DisableOptions {
  /**
   * Without it, it throws where the person is the only owner of an organization of several members. An operator on the page never
   * disables another one, or themselves.
   */
  readonly mayLeaveWithoutOwner: boolean;
}

/**
 * What operators do to persons and organizations, from the command line and on the instance page. Each writes into the audit
 * logs of the organizations that it concerns and into the instance's, and emails those whose account or organization it is. Done
 * a second time it changes nothing, and tells nobody. Throws `not_found` for an unknown id.
 */
export interface AccountOperations {
  /** False when it was so already, here and below. */
  setPlan(organizationId: AccountId, plan: Plan, actor: OperatorActor): Promise<boolean>;
  /**
   * Nobody gets in: sessions end, API keys are refused, nobody can sign in. Forms accept submissions, and webhooks continue.
   */
  disable(personId: AccountId, actor: OperatorActor, options: DisableOptions): Promise<boolean>;
  /** API keys count again; sessions stay ended. */
  enable(personId: AccountId, actor: OperatorActor): Promise<boolean>;
  /** Vouches for the email address. */
  verify(personId: AccountId, actor: OperatorActor): Promise<boolean>;
  /** How many there were. */
  revokeKeys(personId: AccountId, actor: OperatorActor): Promise<number>;
  /** Also sign-ins that wait for a code, mailed links, and invitations that the person made. How many sessions there were. */
  endSessions(personId: AccountId, actor: OperatorActor): Promise<number>;
  setOperator(personId: AccountId, isOperator: boolean, actor: OperatorActor): Promise<boolean>;
}

export function createAccountOperations(dependencies: AccountOperationDependencies): AccountOperations {
  const { database, accounts, accountStates, apiKeys, operators, sendSecurityMail, clock } = dependencies;

  return {
    setPlan: (id, plan, actor) =>
      database.transaction().execute(async (transaction) => {
        const name = await operators.lockOrganization(transaction, id);
        if (name === undefined) throw new Problem("not_found", "There is no organization with this id");
        const from = await accounts.lockPlan(transaction, id);
        if (from === plan) return false;
        await accounts.setPlan(transaction, id, plan);
        const details = { changes: [{ setting: "plan", from, to: plan }] };
        const entry = { subject: { id, name }, organizations: [id], actor, occurredAt: clock.now(), details };
        await recordOperatorAction(transaction, { ...entry, action: "account.plan_changed" });
        await mail(transaction, id, "plan_changed");
        return true;
      }),
    disable: (personId, actor, { mayLeaveWithoutOwner }) =>
      inTransaction(personId, actor, async (transaction, person, tell) => {
        if (actor.personId !== undefined) refuseOperator(person);
        if (!mayLeaveWithoutOwner) await refuseOnlyOwner(transaction, personId);
        const isChanged = await accountStates.disable(transaction, personId, clock.now());
        // Also the second time: repeating it means that nobody should get in.
        await endAccess(transaction, personId, actor);
        if (isChanged) await tell("account.disabled", "account_disabled");
        return isChanged;
      }),
    enable: (personId, actor) =>
      inTransaction(personId, actor, async (transaction, _person, tell) => {
        // The sessions of an account that was never disabled are its owner's.
        if (!(await accountStates.enable(transaction, personId))) return false;
        // One that was opened in the moment of disabling.
        await accounts.endSessions(transaction, personId);
        await tell("account.enabled", "account_enabled");
        return true;
      }),
    verify: (personId, actor) =>
      inTransaction(personId, actor, async (transaction, _person, tell) => {
        if (!(await accountStates.markVerified(transaction, personId))) return false;
        await tell("account.verified", "account_verified");
        return true;
      }),
    revokeKeys: (personId, actor) =>
      inTransaction(personId, actor, async (transaction, _person, tell) => {
        const by = { actor, occurredAt: clock.now() };
        const count = await revokeApiKeys(transaction, apiKeys, personId, by);
        // Each organization has an entry for each key.
        if (count > 0) await tell("account.keys_revoked", "api_keys_revoked", { organizations: [], count });
        return count;
      }),
    endSessions: (personId, actor) =>
      inTransaction(personId, actor, async (transaction, _person, tell) => {
        const count = await endAccess(transaction, personId, actor);
        await tell("account.sessions_ended", "sessions_ended");
        return count;
      }),
    setOperator: (personId, isOperator, actor) =>
      inTransaction(personId, actor, async (transaction, _person, tell) => {
        if (
          isOperator
            ? !(await operators.name(transaction, personId, clock.now()))
            : !(await operators.end(transaction, personId))
        )
          return false;
        if (isOperator) await tell("operator.named", "operator_named");
        else await tell("operator.ended", "operator_ended");
        if (!isOperator) await endInstanceInvitationsOf(transaction, personId, { actor, occurredAt: clock.now() });
        return true;
      }),
  };

  type Tell = (
    action: OperatorEntry["action"],
    event: PersonMail["event"] | "plan_changed",
    more?: Partial<Pick<OperatorEntry, "organizations" | "count">>,
  ) => Promise<void>;

  function inTransaction<Result>(
    personId: AccountId,
    actor: OperatorActor,
    work: (transaction: DatabaseTransaction, person: ConcernedPerson, tell: Tell) => Promise<Result>,
  ): Promise<Result> {
    return database.transaction().execute(async (transaction) => {
      const person = await operators.lockPerson(transaction, personId);
      if (person === undefined) throw new Problem("not_found", "There is no account with this id");
      const { name, organizations } = person;
      return work(transaction, person, async (action, event, more = {}) => {
        const entry = { subject: { id: personId, name }, organizations, actor, occurredAt: clock.now(), action };
        const { count: audited, ...rest } = more;
        await recordOperatorAction(transaction, { ...entry, ...rest });
        await mail(transaction, personId, event, audited);
      });
    });
  }

  async function refuseOnlyOwner(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
    const count = await operators.countOwnedAlone(transaction, personId);
    if (count > 0)
      throw new Problem(
        "conflict",
        `Nobody else who can sign in owns ${count} of this person's organizations. Make another member an owner first, or send leavesWithoutOwner: true`,
      );
  }

  async function endAccess(
    transaction: DatabaseTransaction,
    personId: AccountId,
    actor: OperatorActor,
  ): Promise<number> {
    await accounts.endPending(transaction, personId);
    await endInvitationsOf(transaction, personId, { actor, occurredAt: clock.now() });
    return accounts.endSessions(transaction, personId);
  }

  function mail(
    transaction: DatabaseTransaction,
    accountId: AccountId,
    event: PersonMail["event"] | "plan_changed",
    count?: number,
  ): Promise<void> {
    const details = { accountId, occurredAt: clock.now(), count };
    return sendSecurityMail(
      transaction,
      event === "plan_changed" ? { ...details, event, by: byNobody } : { ...details, event },
    );
  }
}

/** So that no operator locks all of them out. Who runs the server can do both. */
function refuseOperator({ isOperator }: ConcernedPerson): void {
  if (isOperator)
    throw new Problem(
      "conflict",
      "This person is an operator. End that first, on the server, with sealpost-server account operator",
    );
}
