import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { FormKeyBody, FormKeysBody } from "./form-schemas.ts";
import type { FormStore } from "./form-store.ts";
import { loadOwnedForm } from "./owned-form.ts";
import { toKeyBody } from "./to-key-body.ts";

export interface FormKeyVersionRouteDependencies {
  readonly forms: FormStore;
  readonly clock: Clock;
}

const KeyVersionParameters = closed({
  ...FormIdParameters.properties,
  version: Type.String({ description: "The key version, a whole number from 1 on." }),
});

/** The versions that a form's keys have, and whether they open anything. */
export function createFormKeyVersionRoutes({ forms, clock }: FormKeyVersionRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/keys",
      config: { access: "forms:read" },
      schema: {
        operationId: "listFormKeys",
        summary: "List the public keys of all key versions",
        description: "The public half of each version. A submission says which version it is sealed to.",
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: reference(FormKeysBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const found = await loadOwnedForm(forms, request, request.params.form_id);
        const keys = await forms.listKeys(found.form.id);
        return { keys: keys.map(toKeyBody) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/forms/:form_id/keys/:version/proved",
      config: { access: "forms:write" },
      schema: {
        operationId: "proveFormKey",
        summary: "Say that the private key of a version opened something",
        description:
          "The service cannot look: it is the caller's word, noted once. Dashboard and command line say it by themselves. Until somebody has, a sealed form that receives warns its owner that perhaps nobody can open what comes.",
        tags: ["Forms"],
        params: KeyVersionParameters,
        response: { 200: closed({ key: reference(FormKeyBody) }), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const found = await loadOwnedForm(forms, request, request.params.form_id);
        const { version } = request.params;
        const key = /^[1-9]\d{0,8}$/.test(version)
          ? await forms.proveKey(found.form.id, Number(version), clock.now())
          : undefined;
        if (key === undefined) throw new Problem("not_found", "The form has no such key version");
        return { key: toKeyBody(key) };
      },
    });
  };
}
