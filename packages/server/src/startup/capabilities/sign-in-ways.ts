import { createIdentityRoutes } from "../../oidc/identity-routes.ts";
import { createOidcRoutes } from "../../oidc/oidc-routes.ts";
import { createPasskeyRoutes } from "../../passkeys/passkey-routes.ts";
import { createPasskeySignInRoutes } from "../../passkeys/passkey-sign-in-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";
import { openPasskeys } from "../passkeys.ts";

/** Signing in by an identity provider, where there is one: only then its library is loaded. */
export async function openSingleSignOn(core: Core): Promise<Capability> {
  if (core.config.oidc === undefined) return { routes: [] };
  const { openOidc } = await import("../oidc.ts");
  const oidc = openOidc(core, core, core.hasRoom);
  return { routes: oidc === undefined ? [] : [createOidcRoutes(oidc), createIdentityRoutes(oidc)] };
}

export function openPasskeyRoutes(core: Core): Capability {
  const dependencies = openPasskeys(core, core);
  return { routes: [createPasskeyRoutes(dependencies), createPasskeySignInRoutes(dependencies)] };
}
