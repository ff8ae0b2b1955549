import type { AccountId } from "@sealpost/wire";
import type { AccountStore } from "../accounts/account-store.ts";
import { confirmSession } from "../accounts/confirm-session.ts";
import type { IdentityStore } from "../accounts/identity-store.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { OidcSettings } from "../config/oidc-settings.ts";
import type { Database } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import type { Clock } from "../time/clock.ts";
import type { AdmitPerson } from "./admit-person.ts";
import { clockToleranceSeconds, type ProviderPerson } from "./claims.ts";
import { type Flow, flowMilliseconds, randomValue } from "./flow.ts";
import { countsAsSecondFactor, type OpenedSession, type OpenSessionFor } from "./person-session.ts";
import type { ProviderClient } from "./provider-client.ts";
import { createProviderTurns } from "./provider-turns.ts";
import { OidcRefusal } from "./refusal.ts";

/** A session that is open now. */
export interface AskingSession {
  readonly id: string;
  readonly accountId: AccountId;
}

export interface Begin extends Pick<Flow, "purpose" | "invitation" | "next"> {
  /** Our origin, as the browser knows it. */
  readonly origin: string;
  readonly session: AskingSession | undefined;
}

export interface OidcSignInDependencies {
  readonly provider: ProviderClient;
  readonly admitPerson: AdmitPerson;
  readonly openSessionFor: OpenSessionFor;
  readonly identities: IdentityStore;
  readonly accounts: AccountStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly database: Database;
  readonly settings: OidcSettings;
  readonly clock: Clock;
}

export const callbackPath = "/api/auth/oidc/callback";

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

/** The way to the identity provider and back. Throws an `OidcRefusal` for what comes to nothing; nothing has changed then. */
export function createOidcSignIn(dependencies: OidcSignInDependencies) {
  const { provider, admitPerson, openSessionFor, identities, accounts, settings, database, clock } = dependencies;
  const { issuer } = settings;
  const turns = createProviderTurns();

  return {
    async begin({ purpose, origin, session, invitation, next }: Begin): Promise<{ flow: Flow; url: string }> {
      const flow: Flow = {
        ...{ purpose, invitation, next, issuer },
        ...{ state: randomValue(), nonce: randomValue(), verifier: randomValue() },
        redirectUri: `${origin}${callbackPath}`,
        startedAt: clock.now(),
        session: session && { id: session.id, personId: session.accountId },
      };
      return { flow, url: (await provider.findSignInUrl(flow, purpose === "confirm")).href };
    },
    /** The person who came back, once for each way. */
    async receive(query: string, flow: Flow | undefined, ip: string): Promise<ProviderPerson> {
      const answer = new URLSearchParams(query);
      if (flow === undefined || answer.get("state") !== flow.state || flow.issuer !== issuer)
        throw new OidcRefusal("expired", "the browser did not come from here, or after too long");
      return turns.run(ip, async () => {
        if (!(await identities.useState(flow.state, clock.now(), flow.startedAt + 2 * flowMilliseconds)))
          throw new OidcRefusal("expired", "the answer came before");
        return provider.findPerson(new URL(`${flow.redirectUri}?${answer}`), flow);
      });
    },
    async signIn(person: ProviderPerson, flow: Flow, headers: Headers): Promise<SignedIn> {
      const { identity, isNew } = await admitPerson.admit(person, flow.invitation);
      return { ...(await openSessionFor(identity, person, headers)), isNew };
    },
    async link(person: ProviderPerson, session: AskingSession): Promise<void> {
      const by = await admitPerson.requireAdmission(person, { known: "link" });
      const known = await identities.find(issuer, person.subject);
      if (known?.personId === session.accountId) return;
      if (known !== undefined) throw new OidcRefusal("linked_elsewhere");
      const { accountId, id } = session;
      const occurredAt = clock.now();
      await database.transaction().execute(async (transaction) => {
        // No principal guards this transaction: the provider sends the browser to a public address.
        await lockRightsOf(transaction, accountId);
        if ((await accounts.findBySession(id, occurredAt, transaction)) === undefined)
          throw new OidcRefusal("session_changed");
        const { subject, label: name } = person;
        const linked = { personId: accountId, issuer, subject, name, admittedBy: by, linkedAt: occurredAt };
        if ((await identities.link(transaction, linked)) === undefined) throw new OidcRefusal("linked_already");
        const actor = { type: "session", id, personId: accountId } as const;
        await recordAction(transaction, { accountId, actor, action: "identity.linked", occurredAt });
        await dependencies.sendSecurityMail(transaction, { accountId, event: "identity_linked", occurredAt });
      });
    },
    /** Makes the session as good as a new sign-in. */
    async confirm(person: ProviderPerson, flow: Flow, session: AskingSession): Promise<void> {
      const known = await identities.find(issuer, person.subject);
      if (known?.personId !== session.accountId) throw new OidcRefusal("other_person");
      await admitPerson.requireAdmission(person, { known: known.admittedBy, personId: known.personId });
      const { authenticatedAt } = person;
      if (authenticatedAt === undefined)
        throw new OidcRefusal("not_fresh", "the provider does not say when the person signed in (auth_time)");
      if (authenticatedAt < flow.startedAt - clockToleranceSeconds * 1000)
        throw new OidcRefusal("not_fresh", "the provider did not ask the person to sign in again");
      const open = await accounts.findBySession(session.id, clock.now());
      if (open === undefined) throw new OidcRefusal("session_changed");
      // Or the provider alone would do what a sign-in wants a code for.
      if (open.secondFactor !== undefined && !countsAsSecondFactor(settings, person))
        throw new OidcRefusal("code_needed");
      const refusal = new OidcRefusal("session_changed");
      await confirmSession({ database, accounts, clock }, session, { provenAt: authenticatedAt, refusal });
    },
  };
}

export interface SignedIn extends OpenedSession {
  readonly isNew: boolean;
}
