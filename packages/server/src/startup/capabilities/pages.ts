import { createDocumentRoutes } from "../../api-document/document-routes.ts";
import { createApiReferenceRoutes } from "../../api-reference/api-reference-routes.ts";
import { createDashboardRoutes } from "../../dashboard/dashboard-routes.ts";
import { documentationFile, loadDocumentation } from "../../documentation/documentation-files.ts";
import { createDocumentationRoutes } from "../../documentation/documentation-routes.ts";
import { createEmbedRoutes } from "../../embed/embed-routes.ts";
import { createHtmlFormRoutes } from "../../html-forms/html-form-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** Everything that browsers load: the pages after plain forms, the embed, the dashboard, the documentation. */
export function openPages(core: Core): Capability {
  const documentation = loadDocumentation(documentationFile);
  return {
    routes: [
      createHtmlFormRoutes(core),
      createEmbedRoutes(core.embedScripts),
      createDashboardRoutes(core.page),
      createApiReferenceRoutes(documentation),
      createDocumentationRoutes(documentation),
      createDocumentRoutes(core),
    ],
  };
}
