import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { chooseEncoding } from "../http/choose-encoding.ts";
import { installCors } from "../http/cors.ts";
import { closed } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { EmbedScripts } from "./embed-scripts.ts";

/** The embed and its stylesheet by their immutable names, and the newest of each. */
export function createEmbedRoutes(scripts: EmbedScripts) {
  return async (app: FastifyInstance): Promise<void> => {
    installCors(app, [{ url: "/embed/:file", methods: "GET, HEAD" }]);
    for (const [url, { file }] of Object.entries({
      "/embed/sealpost.js": scripts.newest,
      "/embed/sealpost-key-log.js": scripts.newestKeyLog,
      "/embed/sealpost.css": scripts.newestStyle,
    }))
      app.route({
        method: "GET",
        url,
        config: { access: "public" },
        schema: { hide: true },
        // The name that stays is what a page should use, with the hash of these bytes.
        handler: (request, reply) =>
          serve(request, reply.header("content-location", `/embed/${file}`), file, "public, max-age=300"),
      });
    app.route<{ Params: { file: string } }>({
      method: "GET",
      url: "/embed/:file",
      config: { access: "public" },
      schema: { hide: true, params: closed({ file: Type.String({ maxLength: 100 }) }) },
      handler: (request, reply) => serve(request, reply, request.params.file, "public, max-age=31536000, immutable"),
    });
  };

  async function serve(request: FastifyRequest, reply: FastifyReply, file: string, cacheControl: string) {
    const encoding = chooseEncoding(request, ["br", "gzip"]);
    const body = await scripts.find(file, encoding);
    if (body === undefined) throw new Problem("not_found", "There is no such file");
    reply.headers({
      "cache-control": cacheControl,
      vary: "Accept-Encoding",
      ...(encoding !== undefined && { "content-encoding": encoding }),
      "content-type": `text/${file.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`,
    });
    return reply.send(body);
  }
}
