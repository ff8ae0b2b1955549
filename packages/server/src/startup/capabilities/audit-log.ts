import { listHeldForms } from "../../account-life/account-deletion-store.ts";
import { createAuditExportRoutes } from "../../audit-log/audit-export-routes.ts";
import { createAuditLogRoutes } from "../../audit-log/audit-log-routes.ts";
import { createAuditShorteningRoutes } from "../../audit-log/audit-shortening-routes.ts";
import { formsHeld } from "../../problems/problem.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

export function openAuditLog(core: Core): Capability {
  const shortening = createAuditShorteningRoutes({
    ...core,
    async requireNoHold(transaction, accountId) {
      const held = await listHeldForms(transaction, [accountId]);
      if (held.length > 0) throw formsHeld(held);
    },
  });
  return { routes: [createAuditLogRoutes(core), createAuditExportRoutes(core), shortening] };
}
