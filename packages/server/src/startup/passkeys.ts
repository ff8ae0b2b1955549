import { createCeremonyCookies } from "../passkeys/ceremony.ts";
import { createPasskeyCeremonies } from "../passkeys/passkey-ceremonies.ts";
import type { PasskeyRouteDependencies } from "../passkeys/passkey-routes.ts";
import type { PasskeySignInRouteDependencies } from "../passkeys/passkey-sign-in-routes.ts";
import type { Accounts } from "./accounts.ts";
import type { Ground } from "./ground.ts";

/** Signing in with passkeys. */
export function openPasskeys(
  { database, secretBox, clock, address }: Ground,
  { passkeys, auth, accounts, accountActions, knownBrowsers, rateLimits, emails }: Accounts,
): PasskeyRouteDependencies & PasskeySignInRouteDependencies {
  const ceremonyCookies = createCeremonyCookies(secretBox, address.isHttps);
  return {
    ...{ passkeys, auth, accounts, accountActions, knownBrowsers, rateLimits, database, address, clock },
    sendSecurityMail: emails.sendSecurityMail,
    ceremonies: createPasskeyCeremonies({ passkeys, ceremonyCookies, database, address, clock }),
  };
}
