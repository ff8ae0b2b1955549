import { createAccountStore } from "../accounts/account-store.ts";
import type { Config } from "../config/config.ts";
import { openInstance } from "../instance/instance.ts";
import { loadSecrets } from "../instance/secret-file.ts";
import { withDatabase } from "../instance/with-database.ts";
import { createAddInvitationMail } from "../mail/emails.ts";
import { systemClock } from "../time/clock.ts";
import { createInstanceInvitationStore } from "./instance-invitation-store.ts";
import { type CreatedInstanceInvitation, createInstanceInvitations } from "./instance-invitations.ts";

/** An invitation by the operator at the command line, to an instance that has an account. */
export function invite(config: Config, email: string): Promise<CreatedInstanceInvitation> {
  return withDatabase(config, async (database) => {
    if (!(await createAccountStore(database).hasAny()))
      throw new Error(
        "There is no account here yet: the first is made at the address that the server prints at its start",
      );
    const secrets = loadSecrets(config.secrets, config.dataFolder);
    const { secretBox } = await openInstance(database, secrets, systemClock.now());
    const invitations = createInstanceInvitations({
      ...{ database, clock: systemClock, instanceInvitations: createInstanceInvitationStore(database) },
      addInvitationMail: createAddInvitationMail(config, secretBox),
    });
    return invitations.create({ type: "operator" }, email);
  });
}
