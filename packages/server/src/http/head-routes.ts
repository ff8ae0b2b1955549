import type { FastifyInstance } from "fastify";

/**
 * Leaves HEAD to what is open to everybody: pages, files and states. Fastify adds it to each GET route, with the same handler: HEAD of an export
 * read the whole form for nobody, as fast as it could and after the client had left, and the log counted what was read. Every other
 * answer is made for somebody, is recorded, or costs as much as with its body.
 */
export function installHeadRoutes(app: FastifyInstance): void {
  const addRoute = app.route;
  // Capabilities are registered on instances that inherit from this one.
  app.route = function (this: FastifyInstance, route: Parameters<typeof addRoute>[0]) {
    return addRoute.call(this, { ...route, exposeHeadRoute: route.config?.access === "public" });
  } as typeof addRoute; // the same, whatever types its routes have
}
