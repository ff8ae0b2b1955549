import { type AccountId, createId } from "@sealpost/wire";
import type { AccountStore } from "../accounts/account-store.ts";
import { isAddressReserved, isAddressTaken } from "../accounts/address-move-store.ts";
import type { Admission, Identity, IdentityStore } from "../accounts/identity-store.ts";
import type { Inviter, SignUpInvitations, UsedInvitation } from "../accounts/sign-up.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Plan, SignUpMode } from "../config/config.ts";
import type { OidcSettings } from "../config/oidc-settings.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isUniqueViolation } from "../database/errors.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import type { OwnOrganization } from "../organizations/organization.ts";
import { Problem } from "../problems/problem.ts";
import type { HasRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { decideAdmission } from "./admission.ts";
import type { ProviderPerson } from "./claims.ts";
import { OidcRefusal } from "./refusal.ts";

export interface AdmitPersonDependencies {
  readonly identities: IdentityStore;
  readonly accounts: AccountStore;
  readonly accountStates: {
    isVerificationNeeded(id: AccountId): Promise<boolean>;
    markVerified(transaction: DatabaseTransaction, id: AccountId): Promise<boolean>;
  };
  readonly signUpInvitations: SignUpInvitations;
  /** The organizations that a person is a member of. */
  readonly members: {
    listOf(personId: AccountId): Promise<readonly Pick<OwnOrganization, "id" | "unprovenAddress">[]>;
  };
  readonly sendVerification: ((accountId: AccountId) => Promise<boolean>) | undefined;
  readonly hasRoom: HasRoom;
  readonly database: Database;
  readonly settings: OidcSettings;
  readonly signUp: SignUpMode;
  readonly defaultPlan: Plan;
  readonly clock: Clock;
}

/** How they were let in before, for a known person with who they are here; and who invites somebody new. */
interface Asking {
  readonly known?: Admission;
  readonly personId?: AccountId;
  readonly inviter?: Inviter | undefined;
}

/** One of ours, and whether this sign-in has just made their account. */
export interface Admitted {
  readonly identity: Pick<Identity, "id" | "personId">;
  readonly isNew: boolean;
}

/** Lets a person of the provider in as one of ours, or makes an account for them. Throws an `OidcRefusal` otherwise. */
export function createAdmitPerson(dependencies: AdmitPersonDependencies) {
  const { identities, accounts, accountStates, signUpInvitations, sendVerification, hasRoom } = dependencies;
  const { database, settings, clock } = dependencies;
  const { issuer } = settings;
  return { admit, requireAdmission };

  async function admit(person: ProviderPerson, invitation: string | undefined): Promise<Admitted> {
    const known = await identities.find(issuer, person.subject);
    return known === undefined ? admitNew(person, invitation) : admitKnown(known, person);
  }

  async function requireAdmission(person: ProviderPerson, { known, personId, inviter }: Asking): Promise<Admission> {
    const { signUp } = dependencies;
    const { allowedGroups, guestOrganizations } = settings;
    const memberOf = known === "organization" && personId !== undefined ? await listGuestOf(personId) : [];
    const decision = decideAdmission({
      ...{ known, inviter, signUp, allowedGroups, guestOrganizations },
      hasAccounts: await accounts.hasAny(),
      memberOf,
      groups: person.groups,
    });
    if (decision.kind === "refused") throw new OidcRefusal(decision.code);
    return decision.by;
  }

  /** An account that has moved away from the invited address, and never proved it, is nobody's guest. One that still has it has to sign in to prove it. */
  async function listGuestOf(personId: AccountId): Promise<readonly AccountId[]> {
    const email = await accounts.findEmail(personId);
    const all = await dependencies.members.listOf(personId);
    return all
      .filter(({ unprovenAddress }) => unprovenAddress === undefined || unprovenAddress === email)
      .map(({ id }) => id);
  }

  /** An invitation that they bring is for afterwards: it says who joins an organization, and here nothing. */
  async function admitKnown(known: Identity, person: ProviderPerson) {
    const { id, personId, admittedBy } = known;
    await requireAdmission(person, { known: admittedBy, personId });
    const email = await accounts.findEmail(personId);
    await identities.use(id, { at: clock.now(), name: person.label });
    if (person.isVerified && person.email === email && (await accountStates.isVerificationNeeded(personId)))
      await database.transaction().execute((transaction) => accountStates.markVerified(transaction, personId));
    return { identity: known, isNew: false };
  }

  async function admitNew(person: ProviderPerson, invitation: string | undefined): Promise<Admitted> {
    const { email } = person;
    // Before the address: who may not come in learns nothing of the accounts here.
    if (invitation === undefined) await requireAdmission(person, {});
    if (email === undefined) throw new OidcRefusal("email_missing");
    const inviter = invitation === undefined ? undefined : await refusing(signUpInvitations.check(invitation, email));
    const by = await requireAdmission(person, { inviter });
    // Nor the address that another account had until a move that it can still undo.
    if (await isAddressTaken(database, email)) throw new OidcRefusal("email_taken");
    if (!(await hasRoom())) throw new OidcRefusal("full");
    const used = invitation === undefined ? undefined : await refusing(signUpInvitations.use(invitation, email));
    const isVerified = person.isVerified || used?.provesAddress === true;
    return runAsUnit(database, async () => {
      const identity = await create({ ...person, email, isVerified }, by, used);
      // Again, once the row is written, which waits for a move under way.
      if (await isAddressReserved(database, email)) throw new OidcRefusal("email_taken");
      // It may have ended since it was checked. Then there is no account either.
      if (used !== undefined) await refusing(used.accept(identity.personId));
      if (!isVerified) await sendVerification?.(identity.personId);
      return { identity, isNew: true };
    });
  }

  async function refusing<Result>(asking: Promise<Result>): Promise<Result> {
    try {
      return await asking;
    } catch (error) {
      throw toRefusal(error);
    }
  }

  /** The account and how it is signed in to, or neither. */
  async function create(
    person: ProviderPerson & { readonly email: string },
    by: Admission,
    used: UsedInvitation | undefined,
  ) {
    const { email, name, isVerified, label, subject } = person;
    const occurredAt = clock.now();
    const personId = createId("account", occurredAt);
    const entry = { accountId: personId, actor: { type: "nobody" }, occurredAt } as const;
    const isInvited = used?.hasOwnOrganization === false;
    try {
      return await database.transaction().execute(async (transaction) => {
        const plan = dependencies.defaultPlan;
        const made = { id: personId, email, name, plan, isVerified, isInvited, createdAt: occurredAt };
        await identities.createPerson(transaction, made);
        const linked = { personId, issuer, subject, name: label, admittedBy: by, linkedAt: occurredAt };
        const id = await identities.link(transaction, linked);
        if (id === undefined) throw new OidcRefusal("expired", "the same person came twice at once");
        await recordAction(transaction, { ...entry, action: "account.created" });
        await recordAction(transaction, { ...entry, action: "identity.linked" });
        return { id, personId };
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new OidcRefusal("email_taken");
      throw error;
    }
  }
}

function toRefusal(error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  return new OidcRefusal(error.code === "forbidden" ? "invitation_other_address" : "invitation_ended");
}

export type AdmitPerson = ReturnType<typeof createAdmitPerson>;
