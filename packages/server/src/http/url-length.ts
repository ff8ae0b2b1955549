import type { FastifyInstance } from "fastify";
import { Problem } from "../problems/problem.ts";

/** Characters of path and query, each of them a byte. Far above every address of ours, cursors included. */
export const urlCharactersMax = 8_192;

/** After the headers and rates of the routes, so that this refusal has what every error of the same route has. */
export function installUrlLimit(app: FastifyInstance): void {
  app.addHook("preParsing", ({ raw }, _reply, body, done) => {
    if ((raw.url?.length ?? 0) <= urlCharactersMax) return done(null, body);
    done(new Problem("bad_request", `The address has more than ${urlCharactersMax} characters`, { status: 414 }));
  });
}
