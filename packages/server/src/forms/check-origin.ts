import type { FastifyRequest } from "fastify";
import { Problem } from "../problems/problem.ts";
import { type Form, isOriginAllowed } from "./form.ts";

/** Refuses a page whose origin the form does not name. Requests without `Origin` come from no page. */
export function checkOrigin(request: FastifyRequest, form: Form): void {
  const { origin } = request.headers;
  if (origin !== undefined && !isOriginAllowed(origin, form.settings.allowedOrigins)) {
    throw new Problem("forbidden", "This form does not accept submissions from this site");
  }
}
