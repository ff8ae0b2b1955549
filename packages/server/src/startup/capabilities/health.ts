import { createHealthRoutes, type Readiness } from "../../http/health-routes.ts";
import { createSecurityTextRoutes } from "../../http/security-text-routes.ts";
import { createMetricsRoutes } from "../../metrics/metrics-routes.ts";
import { createCollect } from "../../metrics/process-metrics.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** Answers to load balancers, to monitoring, and to people who found a weakness. `/metrics` exists only with a token. */
export function openHealth(core: Core, readiness: () => Readiness): Capability {
  const { metricsToken: token, securityContacts: contacts } = core.config;
  return {
    routes: [
      createHealthRoutes({ ...core, readiness }),
      ...(token !== undefined && core.metrics !== undefined
        ? [createMetricsRoutes({ token, collect: createCollect(core.metrics.registry) })]
        : []),
      ...(contacts === undefined ? [] : [createSecurityTextRoutes({ ...core, contacts })]),
    ],
  };
}
