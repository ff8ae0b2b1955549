import { createApiKeyRoutes } from "../../api-keys/api-key-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

export function openApiKeys(core: Core): Capability {
  return { routes: [createApiKeyRoutes(core)] };
}
