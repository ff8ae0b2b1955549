import type { AccountId } from "@sealpost/wire";
import { createOwnAddress } from "../address.ts";
import type { Config, Plan } from "../config.ts";
import { openDatabase } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { loadInstanceId, loadSecret } from "../instance.ts";
import { createSecretBox } from "../secret-box.ts";
import { createAccountStore } from "./account-store.ts";
import { createAuth, passwordLengthMax, passwordLengthMin } from "./auth.ts";

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly plan: Plan;
}

/** What the operator does to accounts from the command line; works beside a running service. */
export interface AccountAdministration {
  /** Throws an Error with a sentence for the operator when the e-mail address or password won't do. */
  create(account: NewAccount): Promise<AccountId>;
  close(): Promise<void>;
}

export async function createAccountAdministration(config: Config): Promise<AccountAdministration> {
  const secretBox = createSecretBox(loadSecret(config.secret, config.dataFolder));
  const database = openDatabase(config);
  await migrate(database);
  const instanceId = await loadInstanceId(database, secretBox);
  const auth = createAuth({
    database,
    address: createOwnAddress(config),
    secretBox,
    signUp: "closed",
    defaultPlan: config.defaultPlan,
    instanceId,
  });
  const accounts = createAccountStore(database);
  return {
    async create({ email, name, password, plan }) {
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) throw new Error(`${email} is not an e-mail address`);
      if (password.length < passwordLengthMin || password.length > passwordLengthMax)
        throw new Error(`The password must have ${passwordLengthMin} to ${passwordLengthMax} characters`);
      if ((await accounts.findByEmail(email)) !== undefined)
        throw new Error(`There is an account for ${email} already`);
      // Through the library's own sign-up, so that the hash and the rows are exactly what sign-in expects.
      const { user } = await auth.api.signUpEmail({ body: { email, name, password } });
      const id = user.id as AccountId; // made by createId("account") in auth.ts
      // Signing up also signs in; nobody is there to use that session.
      await accounts.endSessions(id);
      await accounts.setPlan(id, plan);
      return id;
    },
    close: () => database.destroy(),
  };
}
