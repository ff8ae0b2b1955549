import type { AccountId } from "@sealpost/wire";
import type { AccountStore } from "../accounts/account-store.ts";
import type { Identity } from "../accounts/identity-store.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Auth } from "../authentication/auth.ts";
import type { OidcSettings } from "../config/oidc-settings.ts";
import type { Database } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import { type Clock, hourMilliseconds } from "../time/clock.ts";
import type { ProviderPerson } from "./claims.ts";
import { OidcRefusal } from "./refusal.ts";

/** The outcome of a sign-in, for the browser. */
export interface OpenedSession {
  readonly cookies: readonly string[];
  /** Whether the code of the account's app is still to come. */
  readonly isCodeNeeded: boolean;
}

export type OpenSessionFor = (
  identity: Pick<Identity, "id" | "personId">,
  person: ProviderPerson,
  headers: Headers,
) => Promise<OpenedSession>;

export interface PersonSessionDependencies {
  readonly auth: Auth;
  readonly accounts: AccountStore;
  readonly database: Database;
  readonly settings: OidcSettings;
  readonly clock: Clock;
}

/** Opens a session for a person of the provider, or the step with the code of the account's second factor. */
export function createOpenSessionFor({
  auth,
  accounts,
  database,
  settings,
  clock,
}: PersonSessionDependencies): OpenSessionFor {
  // The session and its entry, or neither.
  return (identity, person, headers) =>
    runAsUnit(database, () => open(identity, person, headers), {
      first: (transaction) => lockRightsOf(transaction, identity.personId),
    });

  async function open(...[{ id: identityId, personId }, person, headers]: Parameters<OpenSessionFor>) {
    const now = clock.now();
    const isSecondFactor = countsAsSecondFactor(settings, person);
    const response = await auth.api.signInPerson({
      headers,
      asResponse: true,
      body: {
        ...{ identityId, accountId: personId },
        endsAt: now + settings.sessionHours * hourMilliseconds,
        // Without the provider's word nobody knows when the password was entered: the session is no fresh one.
        authenticatedAt: Math.min(person.authenticatedAt ?? 0, now),
        wantsCode: !isSecondFactor,
        ...(isSecondFactor && { secondFactor: "provider" as const }),
      },
    });
    if (response.status === 403) throw new OidcRefusal("disabled");
    if (response.status !== 200) throw new Error(`sign-in library: ${response.status}`);
    const { token }: { readonly token?: unknown } = Object(await response.json());
    if (typeof token === "string") await keep(personId, token, { now, isSecondFactor });
    return { cookies: response.headers.getSetCookie(), isCodeNeeded: typeof token !== "string" };
  }

  async function keep(
    accountId: AccountId,
    token: string,
    { now: occurredAt, isSecondFactor }: { readonly now: number; readonly isSecondFactor: boolean },
  ): Promise<void> {
    const session = await accounts.findSessionByToken(token);
    if (session === undefined) throw new Error("A sign-in made no session");
    // Turned on in this moment: its sessions have ended, and this one, for which no code was asked, ends with them.
    if (!isSecondFactor && (await accounts.hasSecondFactor(accountId)))
      throw new OidcRefusal("expired", "the second factor was turned on in this moment");
    const actor = { type: "session", id: session.id, personId: accountId } as const;
    await recordAction(database, { accountId, actor, action: "session.started", occurredAt });
  }
}

/** Whether the operator believes that the provider asked for a second factor. */
export function countsAsSecondFactor({ secondFactor }: OidcSettings, person: ProviderPerson): boolean {
  return secondFactor === "always" || (secondFactor === "amr" && person.usedSecondFactor);
}
