import { createAuditExportRoutes } from "../../audit-log/audit-export-routes.ts";
import { createAuditLogRoutes } from "../../audit-log/audit-log-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

export function openAuditLog(core: Core): Capability {
  return { routes: [createAuditLogRoutes(core), createAuditExportRoutes(core)] };
}
