import { createIdentityStore } from "../accounts/identity-store.ts";
import { createAdmitPerson } from "../oidc/admit-person.ts";
import { createFlowCookies } from "../oidc/flow.ts";
import type { IdentityRouteDependencies } from "../oidc/identity-routes.ts";
import type { OidcRouteDependencies } from "../oidc/oidc-routes.ts";
import { createOidcSignIn } from "../oidc/oidc-sign-in.ts";
import { createOpenSessionFor } from "../oidc/person-session.ts";
import { createProviderClient } from "../oidc/provider-client.ts";
import type { HasRoom } from "../quotas/room.ts";
import { createFindTarget } from "../webhooks/webhook-target.ts";
import type { Accounts } from "./accounts.ts";
import type { Ground } from "./ground.ts";

/** Signing in by an identity provider; `undefined` where none is configured. Nothing is asked of it before somebody signs in. */
export function openOidc(
  ground: Ground,
  parts: Accounts,
  hasRoom: HasRoom,
): (OidcRouteDependencies & IdentityRouteDependencies) | undefined {
  const { config, database, secretBox, timeOfDay: clock, address } = ground; // that of the provider's tokens
  const { oidc: settings, signUp, defaultPlan } = config;
  if (settings === undefined) return undefined;
  const { accounts, accountStates, auth, accountActions, passkeys, emails, signUpInvitations, members } = parts;
  const { sendSecurityMail, sendVerification } = emails;
  const identities = createIdentityStore(database);
  const provider = createProviderClient({ settings, clock, findTarget: createFindTarget(config.webhookAllowNetworks) });
  const common = { identities, accounts, database, settings, clock };
  return {
    ...common,
    ...{ provider, sendSecurityMail, accountActions, passkeys, address },
    flowCookies: createFlowCookies(secretBox, address.isHttps),
    oidcSignIn: createOidcSignIn({
      ...common,
      ...{ provider, sendSecurityMail },
      admitPerson: createAdmitPerson({
        ...common,
        ...{ accountStates, signUpInvitations, members, sendVerification, hasRoom, signUp, defaultPlan },
      }),
      openSessionFor: createOpenSessionFor({ auth, accounts, database, settings, clock }),
    }),
  };
}
