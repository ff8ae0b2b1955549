import type { SignUpInvitations, UsedInvitation } from "../accounts/sign-up.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { instanceLog } from "../audit-log/operator-entries.ts";
import type { Database } from "../database/database.ts";
import { type Invitations, invitationUnknown, requireAddress } from "../organizations/invitations.ts";
import type { Clock } from "../time/clock.ts";
import type { FoundInstanceInvitation, InstanceInvitationStore } from "./instance-invitation-store.ts";
import type { InstanceStore } from "./instance-store.ts";

export interface SignUpInvitationDependencies {
  readonly invitations: Pick<Invitations, "check" | "accept">;
  readonly instanceInvitations: Pick<InstanceInvitationStore, "findByToken" | "end">;
  readonly instance: Pick<InstanceStore, "findNames">;
  readonly database: Database;
  readonly clock: Clock;
}

/** Signing up by an invitation, to an organization or to the instance. */
export function createSignUpInvitations(dependencies: SignUpInvitationDependencies): SignUpInvitations {
  const { invitations, instanceInvitations, instance, database, clock } = dependencies;

  return {
    async check(token, email) {
      const found = await instanceInvitations.findByToken(token, clock.now());
      if (found === undefined) {
        const { organizationId } = await invitations.check(token, email);
        return { kind: "organization", organizationId };
      }
      requireAddress(found, email);
      return { kind: "operator" };
    },
    async use(token, email) {
      const found = await instanceInvitations.findByToken(token, clock.now());
      if (found !== undefined) return useOfInstance(found, email);
      const { isOfMail } = await invitations.check(token, email);
      return {
        hasOwnOrganization: false,
        provesAddress: isOfMail,
        async accept(personId) {
          await invitations.accept(token, { personId, actor: { type: "nobody" } });
        },
      };
    },
  };

  /** Used up with the account: of one who signs up by it, and an operator who takes it back, one comes first. */
  async function useOfInstance(found: FoundInstanceInvitation, email: string): Promise<UsedInvitation> {
    requireAddress(found, email);
    const { id, isOfMail } = found;
    return {
      hasOwnOrganization: true,
      provesAddress: isOfMail,
      async accept(personId) {
        if (!(await instanceInvitations.end(database, id, clock.now()))) throw invitationUnknown();
        const { name = "" } = (await instance.findNames([personId])).get(personId) ?? {};
        await recordAction(database, {
          ...{ accountId: instanceLog, actor: { type: "nobody" }, action: "account.invitation_accepted" },
          ...{ occurredAt: clock.now(), target: { type: "member", id: personId, name } },
        });
      },
    };
  }
}
