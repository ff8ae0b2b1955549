import { createDeviceRequestRoutes } from "../../personal-keys/device-request-routes.ts";
import { createDeviceRequestStore } from "../../personal-keys/device-request-store.ts";
import { createFormerKeyStore } from "../../personal-keys/former-key-store.ts";
import type { PersonalKeyRouteDependencies } from "../../personal-keys/key-changes.ts";
import { createKeyCopyRoutes } from "../../personal-keys/key-copy-routes.ts";
import { createPersonalKeyRoutes } from "../../personal-keys/personal-key-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** The sealed copies of a person's own key, and the way to another device. */
export function openPersonalKeys(core: Core): Capability {
  const { database } = core;
  const dependencies: PersonalKeyRouteDependencies = {
    ...core,
    formerKeys: createFormerKeyStore(database),
    deviceRequests: createDeviceRequestStore(database),
  };
  return {
    routes: [
      createPersonalKeyRoutes({ ...dependencies, keepSignedHead: core.signedHeads.keep }),
      createKeyCopyRoutes(dependencies),
      createDeviceRequestRoutes(dependencies),
    ],
  };
}
