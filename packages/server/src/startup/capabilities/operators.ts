import { createFindHealth } from "../../doctor/find-health.ts";
import { createFailedMailRoutes } from "../../operators/failed-mail-routes.ts";
import { createInstanceChangeRoutes } from "../../operators/instance-change-routes.ts";
import { createInstanceInvitationRoutes } from "../../operators/instance-invitation-routes.ts";
import { createInstanceRoutes } from "../../operators/instance-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** The instance as operators see and change it. */
export function openOperators(core: Core): Capability {
  return {
    routes: [
      createInstanceRoutes({ ...core, findHealth: createFindHealth(core) }),
      createInstanceChangeRoutes({ ...core, hasQuotas: core.config.hasQuotas }),
      createInstanceInvitationRoutes(core),
      createFailedMailRoutes(core),
    ],
  };
}
