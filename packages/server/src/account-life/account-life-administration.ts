import type { AccountId } from "@sealpost/wire";
import { createAccountStore } from "../accounts/account-store.ts";
import { deleteMove, findAddress, isAddressTaken, setAddress } from "../accounts/address-move-store.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { notAnAddress } from "../authentication/email-address.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { lockProof } from "../database/membership.ts";
import { withDatabase } from "../instance/with-database.ts";
import { parseAddress } from "../mail/recipient.ts";
import { createSendSecurityMail } from "../mail/security-mail-store.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { createAccountDeletions } from "./account-deletions.ts";
import { exportAccount } from "./account-export.ts";

/**
 * The operator's actions on the life of accounts, from the command line; works alongside a running service. Each throws an Error with
 * a sentence for the operator when there is no such account, or it can't be done.
 */
export interface AccountLifeAdministration {
  /** Moves an account to another address, which counts as verified. */
  move(email: string, to: string): Promise<AccountId>;
  /** Deletes an account when the grace is over, or at once: within a minute by the running service, or at its next start. */
  delete(email: string, isAtOnce: boolean): Promise<{ readonly id: AccountId; readonly at: number }>;
  /** Keeps an account after all. False if nobody had asked for its deletion. */
  keep(email: string): Promise<boolean>;
  /** Everything that the instance knows about a person, as `GET /api/account/export` answers it. */
  export(email: string): AsyncIterable<string>;
}

/** Opens the database for one piece of work, and closes it. */
export function administerAccountLife<Result>(
  config: Config,
  work: (accounts: AccountLifeAdministration) => Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  return withDatabase(config, (database) => work(createAdministration(database, config, clock)));
}

function createAdministration(database: Database, config: Config, clock: Clock): AccountLifeAdministration {
  const accounts = createAccountStore(database);
  const sendSecurityMail = createSendSecurityMail({ hasMail: config.mail !== undefined });
  const deletions = createAccountDeletions({
    ...{ database, accounts, sendSecurityMail, clock },
    members: createMemberStore(database),
  });
  const actor = { type: "operator" } as const;

  async function load(email: string): Promise<AccountId> {
    const id = await accounts.findByEmail(email);
    if (id === undefined) throw new Error(`There is no account for ${email}`);
    return id;
  }

  return {
    async move(email, to) {
      const accountId = await load(email);
      const address = parseAddress(to);
      if (address === undefined) throw new Error(notAnAddress);
      await database.transaction().execute(async (transaction) => {
        const occurredAt = clock.now();
        await lockProof(transaction, accountId);
        if ((await findAddress(transaction, accountId)).email === address) return;
        if (await isAddressTaken(transaction, address, accountId))
          throw new Error(`There is an account for ${to} already, or there was one within the last seven days`);
        await deleteMove(transaction, accountId);
        await accounts.endPending(transaction, accountId);
        await setAddress(transaction, accountId, address);
        await recordAction(transaction, { accountId, actor, action: "account.address_moved", occurredAt });
        await sendSecurityMail(transaction, { accountId, event: "account_moved", occurredAt });
      });
      return accountId;
    },
    async delete(email, isAtOnce) {
      const id = await load(email);
      return { id, at: await deletions.leave(id, actor, isAtOnce ? 0 : undefined) };
    },
    keep: async (email) => deletions.stay(await load(email), actor),
    async *export(email) {
      yield* exportAccount(database, await load(email), clock.now());
    },
  };
}
