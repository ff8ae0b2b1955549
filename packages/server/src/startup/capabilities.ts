import type { Readiness } from "../http/health-routes.ts";
import { openAccountRoutes } from "./capabilities/accounts.ts";
import { openApiKeys } from "./capabilities/api-keys.ts";
import { openAuditLog } from "./capabilities/audit-log.ts";
import { openForms } from "./capabilities/forms.ts";
import { openHealth } from "./capabilities/health.ts";
import { openMail } from "./capabilities/mail.ts";
import { openOperators } from "./capabilities/operators.ts";
import { openOrganizations } from "./capabilities/organizations.ts";
import { openPages } from "./capabilities/pages.ts";
import { openPersonalKeys } from "./capabilities/personal-keys.ts";
import { openPasskeyRoutes, openSingleSignOn } from "./capabilities/sign-in-ways.ts";
import { openSubmissionRoutes } from "./capabilities/submissions.ts";
import { openWebhooks } from "./capabilities/webhooks.ts";
import type { Capability } from "./capability.ts";
import type { Core } from "./core.ts";

/** All that the service can do. A new capability is a file in `capabilities/` and a line here. */
export async function openCapabilities(core: Core, readiness: () => Readiness): Promise<readonly Capability[]> {
  return [
    openHealth(core, readiness),
    openAccountRoutes(core),
    openOrganizations(core),
    openOperators(core),
    openApiKeys(core),
    openAuditLog(core),
    openForms(core),
    openMail(core),
    await openSingleSignOn(core),
    openPasskeyRoutes(core),
    openPersonalKeys(core),
    openSubmissionRoutes(core),
    openWebhooks(core),
    openPages(core),
  ];
}
