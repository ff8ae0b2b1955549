import { createHash } from "node:crypto";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { installCors } from "../http/cors.ts";
import { answerUnchanged, isUnchanged, Unchanged } from "../http/preconditions.ts";
import { FormIdParameters, problems, reference } from "../http/schemas.ts";
import { formNotFound } from "../problems/problem.ts";
import { checkOrigin } from "./check-origin.ts";
import { PublicFormBody } from "./form-schemas.ts";
import { namesShownIn, pickSettings } from "./form-settings.ts";
import { installRefusalNotes, type NoteRefusalDependencies } from "./note-refusals.ts";
import type { PublicForms } from "./public-forms.ts";

const publicSettings = namesShownIn("public");

export interface PublicFormRouteDependencies extends NoteRefusalDependencies {
  readonly publicForms: PublicForms;
}

/** The embed's request before it seals: the public key and the settings that it must know (contract, section 8.2). */
export function createPublicFormRoutes({ publicForms, refusedVisitors }: PublicFormRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    installRefusalNotes(app, "json", { publicForms, refusedVisitors });
    installCors(app, [{ url: "/api/forms/:form_id/public", methods: "GET" }]);
    app.route({
      method: "GET",
      url: "/api/forms/:form_id/public",
      config: { access: "public" },
      schema: {
        operationId: "getPublicForm",
        summary: "What a browser needs to seal a submission",
        description:
          "Needs no credential. A browser may keep the answer for a minute, a shared cache may not. A page of an origin that the form does not name gets 403.",
        tags: ["Public"],
        security: [],
        params: FormIdParameters,
        response: {
          200: reference(PublicFormBody),
          304: Unchanged,
          ...problems(403, 404, 429),
        },
      },
      handler: async (request, reply) => {
        const found = await publicForms.find(request.params.form_id);
        if (found === undefined) throw formNotFound();
        const { form, publicKey, fingerprint, hybrid } = found;
        checkOrigin(request, form);
        const settings = pickSettings(form.settings, publicSettings);
        const keyTag = [fingerprint, ...(hybrid ? [hybrid.fingerprint] : [])]
          .map((text) => text.slice(0, 16))
          .join("-");
        const etag = `"${form.keyVersion}-${keyTag}-${toTag(settings)}"`;
        // Other origins may get another answer, so a browser must tell them apart. Shared caches often give what they have even to who asks
        // past them: pages that are refused for an ended key would get that key again.
        reply.headers({ "cache-control": "private, max-age=60", etag, vary: "Origin" });
        if (isUnchanged(request, etag)) return answerUnchanged(reply);
        return {
          form: {
            id: form.id,
            publicKey,
            keyVersion: form.keyVersion,
            keyFingerprint: fingerprint,
            ...(hybrid && { hybridPublicKey: hybrid.publicKey, hybridKeyFingerprint: hybrid.fingerprint }),
            settings,
          },
        };
      },
    });
  };
}

/** Differs where the settings do; a hash, since a tag has no room for some characters. */
function toTag(settings: object): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("base64url").slice(0, 16);
}
