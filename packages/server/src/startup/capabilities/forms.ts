import { createEnvelopeRoutes } from "../../forms/envelope-routes.ts";
import { createFormChangeRoutes } from "../../forms/form-change-routes.ts";
import { createFormCreationRoutes } from "../../forms/form-creation-routes.ts";
import { createFormHoldRoutes } from "../../forms/form-hold-routes.ts";
import { createFormKeyClosingRoutes } from "../../forms/form-key-closing-routes.ts";
import { createFormKeyRoutes } from "../../forms/form-key-routes.ts";
import { createFormKeyVersionRoutes } from "../../forms/form-key-version-routes.ts";
import { createFormReservationRoutes } from "../../forms/form-reservation-routes.ts";
import { createFormReservationStore } from "../../forms/form-reservation-store.ts";
import { createFormRoutes } from "../../forms/form-routes.ts";
import { createKeyLogRoutes, createPublicKeyLogRoutes } from "../../forms/key-log-routes.ts";
import { createKeyLogStore } from "../../forms/key-log-store.ts";
import { createRefusedKeyRoutes } from "../../forms/refused-key-routes.ts";
import { createUsageRoutes } from "../../quotas/usage-routes.ts";
import { createRetentionRoutes } from "../../retention/retention-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** Forms with their settings, keys and holds; what they store and how long they keep it. */
export function openForms(core: Core): Capability {
  const { database, config, usage } = core;
  const dependencies = {
    ...core,
    formReservations: createFormReservationStore(database),
    keyLogs: createKeyLogStore(database),
    checkWebhookUrl: core.deliveries.checkWebhookUrl,
  };
  return {
    routes: [
      createFormReservationRoutes(dependencies),
      createFormRoutes(dependencies),
      createFormCreationRoutes(dependencies),
      createFormChangeRoutes(dependencies),
      createFormKeyRoutes(dependencies),
      createFormKeyVersionRoutes(dependencies),
      createFormKeyClosingRoutes(dependencies),
      createKeyLogRoutes(dependencies),
      createPublicKeyLogRoutes(dependencies),
      createRefusedKeyRoutes(dependencies),
      createFormHoldRoutes(dependencies),
      createEnvelopeRoutes(dependencies),
      createUsageRoutes({ usage, hasQuotas: config.hasQuotas }),
      createRetentionRoutes(dependencies),
    ],
  };
}
