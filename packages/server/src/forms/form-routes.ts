import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { isId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { accountOf, principalOf } from "../access/access.ts";
import type { Database } from "../database/database.ts";
import { createEmbedCode } from "../embed/embed-code.ts";
import type { EmbedScripts } from "../embed/embed-scripts.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "../http/cursor.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { describeHold } from "./form-hold-store.ts";
import { FormBody, FormListBody, FormListQuery, formsWithoutLimit } from "./form-schemas.ts";
import { namesShownIn, pickSettings } from "./form-settings.ts";
import type { FormStore, ListedForm } from "./form-store.ts";
import { loadOwnedForm } from "./owned-form.ts";
import type { RefusedVisitors, RefusedVisitorsOfCause } from "./refused-visitors.ts";
import { showSettings } from "./seen-settings.ts";

export interface FormRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly embedScripts: EmbedScripts;
  readonly refusedVisitors: Pick<RefusedVisitors, "find">;
  readonly address: OwnAddress;
}

const listedSettings = namesShownIn("list");

/** Contract, section 5.3: the account's forms. */
export function createFormRoutes({ database, forms, embedScripts, refusedVisitors, address }: FormRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/forms",
      config: { access: "forms:read" },
      schema: {
        operationId: "listForms",
        summary: "List the account's forms, newest first",
        description: `Forms come with two of their settings; \`getForm\` shows all. Up to ${formsWithoutLimit} come at once unless \`limit\` asks for fewer; \`nextCursor\` leads to the rest.`,
        tags: ["Forms"],
        querystring: FormListQuery,
        response: { 200: reference(FormListBody), ...problems(400, 401, 403, 429) },
      },
      handler: async (request) => {
        const accountId = accountOf(request);
        const named = principalOf(request).formIds;
        const { limit = formsWithoutLimit, cursor } = request.query;
        const after = cursor === undefined ? undefined : parseCursor(cursor);
        // One more than asked for tells whether there is a next page.
        const [items, total] = await Promise.all([
          forms.list(accountId, limit + 1, after, named),
          forms.count(accountId, named),
        ]);
        const page = items.slice(0, limit);
        const last = items.length > limit ? page.at(-1)?.form : undefined;
        return {
          forms: page.map((listed) => toListItem(listed, refusedVisitors.find(listed.form))),
          total,
          nextCursor: last === undefined ? null : encodeCursor(last.createdAt, last.id),
        };
      },
    });

    app.route({
      method: "GET",
      url: "/api/forms/:form_id",
      config: { access: "forms:read" },
      schema: {
        operationId: "getForm",
        summary: "Get a form with its settings and embed code",
        description:
          "`embedCode` is what goes into the page. `submissionCount` is what is stored now. To a reader no form has a webhook: `webhookUrl` is null.",
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: closed({ form: reference(FormBody) }), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { form, submissionCount, keyProof, publicKey, hold, secretKnownSince } = await loadOwnedForm(
          forms,
          request,
          request.params.form_id,
        );
        const embedCode = createEmbedCode(address.baseUrl(), embedScripts.newest, {
          id: form.id,
          encryption: form.settings.encryption,
        });
        const { id, name, createdAt, updatedAt } = form;
        const settings = showSettings(form.settings, principalOf(request).role);
        const refused = refusedVisitors.find(form);
        return {
          form: {
            id,
            name,
            createdAt,
            updatedAt,
            submissionCount,
            keyProof,
            publicKey,
            settings,
            embedCode,
            ...(refused.length > 0 && { refusedVisitors: refused }),
            ...(hold !== undefined && { hold: await describeHold(database, hold) }),
            // To a reader no form has a webhook.
            ...(secretKnownSince !== undefined &&
              principalOf(request).role !== "reader" && { webhookSecretKnownSince: secretKnownSince }),
          },
        };
      },
    });
  };
}

function toListItem(
  { form, submissionCount, receivedCount, lastReceivedAt, keyProof, publicKey, hold }: ListedForm,
  refusedVisitors: RefusedVisitorsOfCause[],
) {
  const { id, name, createdAt, settings } = form;
  return {
    id,
    name,
    createdAt,
    submissionCount,
    receivedCount,
    lastReceivedAt: lastReceivedAt ?? null,
    keyProof,
    publicKey,
    settings: pickSettings(settings, listedSettings),
    ...(refusedVisitors.length > 0 && { refusedVisitors }),
    ...(hold !== undefined && { held: true as const }),
  };
}

function parseCursor(cursor: string) {
  const [createdAt, id] = decodeCursor(cursor);
  if (!isId("form", id)) throw invalidCursor();
  return { createdAt, id };
}
