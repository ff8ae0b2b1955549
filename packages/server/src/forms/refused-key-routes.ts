import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { installCors } from "../http/cors.ts";
import { closed, FormIdParameters, problems } from "../http/schemas.ts";
import { formNotFound } from "../problems/problem.ts";
import { checkOrigin } from "./check-origin.ts";
import type { PublicForms } from "./public-forms.ts";
import type { RefusedKeys } from "./refused-keys.ts";

export interface RefusedKeyRouteDependencies {
  readonly publicForms: PublicForms;
  readonly refusedKeys: RefusedKeys;
}

const url = "/api/forms/:form_id/keys/refused";
const bodyBytesMax = 4096;
const fingerprintsMax = 32;

/** Pages that pin a key say here that the form has another one: what their visitors type reaches nobody until the snippet is replaced. */
export function createRefusedKeyRoutes({ publicForms, refusedKeys }: RefusedKeyRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    installCors(app, [{ url, methods: "POST" }]);
    app.route({
      method: "POST",
      url,
      bodyLimit: bodyBytesMax,
      config: { access: "public", rate: "refused_keys" },
      schema: {
        operationId: "reportRefusedKey",
        summary: "Say that a page pins none of the form's keys",
        description:
          "The embed says so when it refuses to send. It counts when one of the fingerprints is of a former key of the form and none is of the newest: then the form shows `refusedVisitors`, and its owners get one email for each rotation. Anything else is answered in the same way, and forgotten. Needs no credential; 10 a minute for an address and a form.",
        tags: ["Public"],
        security: [],
        params: FormIdParameters,
        body: closed({
          fingerprints: Type.Array(Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }), {
            minItems: 1,
            maxItems: fingerprintsMax,
            description: "Those that the page pins.",
          }),
        }),
        response: {
          200: closed({ success: Type.Literal(true) }, { description: "Heard, whether it counts or not." }),
          ...problems(400, 403, 404, 413, 415, 429),
        },
      },
      handler: async (request) => {
        const found = await publicForms.find(request.params.form_id);
        if (found === undefined) throw formNotFound();
        checkOrigin(request, found.form);
        await refusedKeys.note(found, request.body.fingerprints);
        return { success: true as const };
      },
    });
  };
}
