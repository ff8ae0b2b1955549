import { type AccountId, isId } from "@sealpost/wire";
import { createAccountOperations } from "../accounts/account-operations.ts";
import { createAccountStateStore } from "../accounts/account-state-store.ts";
import { createAccountStore } from "../accounts/account-store.ts";
import { createOperatorStore } from "../accounts/operator-store.ts";
import { createApiKeyStore } from "../api-keys/api-key-store.ts";
import { recordOperatorAction } from "../audit-log/operator-entries.ts";
import type { Config, Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { shareProof } from "../database/membership.ts";
import { withDatabase } from "../instance/with-database.ts";
import { byNobody, createSendSecurityMail } from "../mail/security-mail-store.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import { describeGrant, type Member } from "../organizations/organization.ts";
import { createOrganizationStore, type ListedOrganization } from "../organizations/organization-store.ts";
import { type Clock, systemClock } from "../time/clock.ts";

/**
 * The operator's actions on organizations from the command line; works alongside a running service. Each throws an Error with
 * a sentence for the operator when there is no such organization or person.
 */
export interface OrganizationAdministration {
  /** Every organization with how many members and owners it has, in the order in which they were made. */
  list(): AsyncGenerator<ListedOrganization>;
  members(organizationId: string): Promise<readonly Member[]>;
  /** For one whose owners are gone, or can't sign in. False if they were an owner already. */
  makeOwner(organizationId: string, email: string): Promise<boolean>;
  setPlan(organizationId: string, plan: Plan): Promise<void>;
}

/** Bounds what one statement reads. */
const listBatch = 500;

/** Opens the database for one piece of work, and closes it. */
export function administerOrganizations<Result>(
  config: Config,
  work: (organizations: OrganizationAdministration) => Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  return withDatabase(config, (database) => work(createAdministration(database, config, clock)));
}

function createAdministration(database: Database, config: Config, clock: Clock): OrganizationAdministration {
  const members = createMemberStore(database);
  const organizations = createOrganizationStore(database);
  const sendSecurityMail = createSendSecurityMail({ hasMail: config.mail !== undefined });
  const operations = createAccountOperations({
    ...{ database, sendSecurityMail, clock },
    accounts: createAccountStore(database),
    accountStates: createAccountStateStore(database),
    apiKeys: createApiKeyStore(database),
    operators: createOperatorStore(database),
  });
  const actor = { type: "operator" } as const;

  async function load(id: string): Promise<AccountId> {
    if (!isId("account", id) || (await organizations.findName(id)) === undefined)
      throw new Error(`There is no organization ${id}`);
    return id;
  }

  return {
    async *list() {
      let after = "";
      for (let isLast = false; !isLast; ) {
        const rows = await organizations.list(after, listBatch);
        yield* rows;
        after = rows.at(-1)?.id ?? "";
        isLast = rows.length < listBatch;
      }
    },
    members: async (organizationId) => members.list(await load(organizationId)),
    async makeOwner(organizationId, email) {
      const accountId = await load(organizationId);
      const personId = await organizations.findPerson(email);
      if (personId === undefined) throw new Error(`There is no account for ${email}`);
      return database.transaction().execute(async (transaction) => {
        await shareProof(transaction, personId);
        await members.lock(transaction, accountId);
        const before = await members.find(transaction, accountId, personId);
        if (before?.role === "owner") return false;
        const grant = { role: "owner", formIds: undefined } as const;
        const occurredAt = clock.now();
        const by = { madeBy: undefined, at: occurredAt };
        if (before === undefined)
          await members.add(
            transaction,
            { ...grant, organizationId: accountId, personId, since: occurredAt, addedBy: undefined },
            by,
          );
        else await members.change(transaction, before, accountId, grant, by);
        const name = (await members.find(transaction, accountId, personId))?.name ?? "";
        const action = before === undefined ? "member.joined" : "member.changed";
        const details = describeGrant(before, grant);
        const entry = { subject: { id: personId, name }, organizations: [accountId], actor, occurredAt, details };
        await recordOperatorAction(transaction, { ...entry, action });
        const event = before === undefined ? "member_joined" : "member_changed";
        await sendSecurityMail(transaction, { accountId, event, by: byNobody, occurredAt });
        return true;
      });
    },
    async setPlan(organizationId, plan) {
      await operations.setPlan(await load(organizationId), plan, actor);
    },
  };
}
