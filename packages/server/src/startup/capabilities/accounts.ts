import { createAccountExportRoutes } from "../../account-life/account-export-routes.ts";
import { createAccountLifeRoutes } from "../../account-life/account-life-routes.ts";
import { createAddressRoutes } from "../../account-life/address-routes.ts";
import { createAccountRoutes } from "../../accounts/account-routes.ts";
import { createSessionRoutes } from "../../accounts/session-routes.ts";
import { createVerificationRoutes } from "../../accounts/verification-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** Signing up and in, sessions, a person's address and data, and the end of an account. */
export function openAccountRoutes(core: Core): Capability {
  const dependencies = { ...core, signUp: core.config.signUp };
  return {
    routes: [
      createAccountRoutes(dependencies),
      createVerificationRoutes(dependencies),
      createSessionRoutes(dependencies),
      createAddressRoutes(dependencies),
      createAccountLifeRoutes(dependencies),
      createAccountExportRoutes(dependencies),
    ],
  };
}
