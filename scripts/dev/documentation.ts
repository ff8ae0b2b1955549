import type { IncomingMessage, ServerResponse } from "node:http";
import { fastify } from "fastify";
import { loadDocumentation } from "../../packages/server/src/documentation/documentation-files.ts";
import { createDocumentationRoutes } from "../../packages/server/src/documentation/documentation-routes.ts";

export interface DevDocumentation {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Serves the pages that the file has now, at the next request. */
  reload(): void;
}

/** The pages at `/docs` without the service, which reads the built documents once and would have to restart. */
export async function createDevDocumentation(file: string): Promise<DevDocumentation> {
  let documentation = loadDocumentation(file);
  const app = fastify();
  await app.register(createDocumentationRoutes({ find: (address) => documentation.find(address) }));
  await app.ready();
  return {
    handle: app.routing,
    reload() {
      documentation = loadDocumentation(file);
    },
  };
}
