import { createAdmissionRoutes } from "../../organizations/admission-routes.ts";
import { createAdmissionStore } from "../../organizations/admission-store.ts";
import { createAdmissions } from "../../organizations/admissions.ts";
import { createHandOverRoutes } from "../../organizations/hand-over-routes.ts";
import { createInvitationRoutes } from "../../organizations/invitation-routes.ts";
import { createLostEntryRoutes } from "../../organizations/lost-entry-routes.ts";
import { createMemberListNameRoutes } from "../../organizations/member-list-name-routes.ts";
import { createMemberListRoutes } from "../../organizations/member-list-routes.ts";
import { createMemberRoutes } from "../../organizations/member-routes.ts";
import { createOrganizationRoutes } from "../../organizations/organization-routes.ts";
import { createOwnAdmissionRoutes } from "../../organizations/own-admission-routes.ts";
import { createRecoveryRuleRoutes } from "../../organizations/recovery-rule-routes.ts";
import { createSecondFactorRuleRoutes } from "../../organizations/second-factor-rule-routes.ts";
import { createSignedHeadRoutes } from "../../organizations/signed-head-routes.ts";
import { createUsageTakeOverRoutes } from "../../organizations/usage-take-over-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** Organizations, their members and rules, and the signed lists of who reads. */
export function openOrganizations(core: Core): Capability {
  const admissionStore = createAdmissionStore(core.database);
  const dependencies = {
    ...core,
    ...{ signUp: core.config.signUp, defaultPlan: core.config.defaultPlan, admissionStore },
    hasQuotas: core.config.hasQuotas,
    admissions: createAdmissions({ ...core, admissions: admissionStore }),
  };
  return {
    routes: [
      createOrganizationRoutes(dependencies),
      createSecondFactorRuleRoutes(dependencies),
      createRecoveryRuleRoutes(dependencies),
      createMemberRoutes(dependencies),
      createMemberListRoutes(dependencies),
      createLostEntryRoutes(dependencies),
      createMemberListNameRoutes(dependencies),
      createAdmissionRoutes(dependencies),
      createOwnAdmissionRoutes(dependencies),
      createSignedHeadRoutes(dependencies),
      createInvitationRoutes(dependencies),
      createHandOverRoutes(dependencies),
      createUsageTakeOverRoutes(dependencies),
    ],
  };
}
