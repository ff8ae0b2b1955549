import { formKeyFlows } from "./form-key-flows.ts";
import type { KeyFlow } from "./key-visit.ts";
import { memberFlows } from "./member-flows.ts";
import { ownKeyFlows } from "./own-key-flows.ts";

/** Everything that makes, adds, removes, rotates and replaces keys. */
export const keyFlows: readonly KeyFlow[] = [...ownKeyFlows, ...formKeyFlows, ...memberFlows];
