import { formKeyFlows } from "./form-key-flows.ts";
import { keyLogFlows } from "./key-log-flows.ts";
import type { KeyFlow } from "./key-visit.ts";
import { listFlows } from "./list-flows.ts";
import { memberFlows } from "./member-flows.ts";
import { ownKeyFlows } from "./own-key-flows.ts";

/** Everything that makes, adds, removes, rotates, replaces and brings back keys, and that signs in lists and key logs. */
export const keyFlows: readonly KeyFlow[] = [
  ...ownKeyFlows,
  ...formKeyFlows,
  ...memberFlows,
  ...keyLogFlows,
  ...listFlows,
];
