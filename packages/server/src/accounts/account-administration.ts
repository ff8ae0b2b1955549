import type { AccountId } from "@sealpost/wire";
import { createOwnAddress } from "../address.ts";
import type { AuditAction } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Config, Plan } from "../config.ts";
import { type Database, type DatabaseTransaction, openDatabase } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { loadInstanceId, loadSecret } from "../instance.ts";
import { createSecretBox } from "../secret-box.ts";
import { findNameFault, findPasswordFault } from "./account-input.ts";
import { createAccountStore } from "./account-store.ts";
import { createAuth } from "./auth.ts";
import { createOwnHeaders } from "./library-request.ts";

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly plan: Plan;
}

/**
 * What the operator does to accounts from the command line; works beside a running service. Each throws an Error with a
 * sentence for the operator when the e-mail address or the password won't do.
 */
export interface AccountAdministration {
  create(account: NewAccount): Promise<AccountId>;
  setPlan(email: string, plan: Plan): Promise<AccountId>;
  /** Ends every session of the account as well; its API keys stay valid. */
  resetPassword(email: string, password: string): Promise<AccountId>;
  /** For an owner who lost the device. Throws when the account has no second factor; sessions and API keys stay. */
  resetSecondFactor(email: string): Promise<AccountId>;
  close(): Promise<void>;
}

export async function createAccountAdministration(
  config: Config,
  clock: Clock = systemClock,
): Promise<AccountAdministration> {
  const secretBox = createSecretBox(loadSecret(config.secret, config.dataFolder));
  const database = openDatabase(config);
  await migrate(database);
  const instanceId = await loadInstanceId(database, secretBox);
  const address = createOwnAddress(config);
  const auth = createAuth({
    clock,
    database,
    address,
    secretBox,
    signUp: "closed",
    defaultPlan: config.defaultPlan,
    instanceId,
  });
  const accounts = createAccountStore(database);
  return {
    async create({ email, name, password, plan }) {
      refuse(findPasswordFault(password));
      if (name !== "") refuse(findNameFault(name));
      if ((await accounts.findByEmail(email)) !== undefined)
        throw new Error(`There is an account for ${email} already`);
      // Through the library's own sign-up, so that the hash and the rows are exactly what sign-in expects.
      const headers = createOwnHeaders(address);
      const { user } = await auth.api.signUpEmail({ body: { email, name, password }, headers });
      const id = user.id as AccountId; // made by createId("account") in auth.ts
      // Signing up also signs in; nobody is there to use that session.
      await accounts.endSessions(database, id);
      await accounts.setPlan(id, plan);
      await tell(database, id, "account.created");
      return id;
    },
    async setPlan(email, plan) {
      const id = await load(email);
      await accounts.setPlan(id, plan);
      await tell(database, id, "account.plan_changed");
      return id;
    },
    async resetPassword(email, password) {
      refuse(findPasswordFault(password));
      const id = await load(email);
      const { password: hashing, internalAdapter } = await auth.$context;
      await internalAdapter.updatePassword(id, await hashing.hash(password));
      await accounts.endSessions(database, id);
      await accounts.endPending(database, id);
      // Whoever knew the password before may have used up the owner's codes.
      await accounts.unlock(id);
      await tell(database, id, "password.reset");
      return id;
    },
    async resetSecondFactor(email) {
      const id = await load(email);
      await database.transaction().execute(async (transaction) => {
        if (!(await accounts.removeSecondFactor(transaction, id)))
          throw new Error(`The account for ${email} has no second factor`);
        await tell(transaction, id, "second_factor.reset");
      });
      return id;
    },
    close: () => database.destroy(),
  };

  function tell(target: Database | DatabaseTransaction, accountId: AccountId, action: AuditAction): Promise<void> {
    return recordAction(target, { accountId, actor: { type: "operator" }, action, occurredAt: clock.now() });
  }

  async function load(email: string): Promise<AccountId> {
    const id = await accounts.findByEmail(email);
    if (id === undefined) throw new Error(`There is no account for ${email}`);
    return id;
  }
}

function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}
