import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { installCors } from "../http/cors.ts";
import { closed } from "../http/schemas.ts";
import { Problem } from "../problem.ts";
import type { EmbedScripts } from "./embed-scripts.ts";

/** The embed by its immutable names, and the newest one (decisions, section 8). */
export function createEmbedRoutes(scripts: EmbedScripts) {
  return async (app: FastifyInstance): Promise<void> => {
    installCors(app, [{ url: "/embed/:file", methods: "GET, HEAD" }]);
    app.route({
      method: "GET",
      url: "/embed/sealpost.js",
      config: { access: "public" },
      schema: { hide: true },
      handler: (_request, reply) => serve(reply, scripts.newest.file, "public, max-age=300"),
    });
    app.route<{ Params: { file: string } }>({
      method: "GET",
      url: "/embed/:file",
      config: { access: "public" },
      schema: { hide: true, params: closed({ file: Type.String({ maxLength: 100 }) }) },
      handler: (request, reply) => serve(reply, request.params.file, "public, max-age=31536000, immutable"),
    });
  };

  async function serve(reply: FastifyReply, file: string, cacheControl: string): Promise<FastifyReply> {
    const body = await scripts.find(file);
    if (body === undefined) throw new Problem("not_found", "There is no such script");
    reply.headers({
      "cache-control": cacheControl,
      "cross-origin-resource-policy": "cross-origin",
      "content-type": "text/javascript; charset=utf-8",
    });
    return reply.send(Buffer.from(body));
  }
}
