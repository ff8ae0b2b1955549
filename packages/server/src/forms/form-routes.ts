import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createId, createWebhookSecret, isId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { accountOf, principalOf, requireVerifiedAddress } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import { createEmbedCode } from "../embed/embed-code.ts";
import type { EmbedScripts } from "../embed/embed-scripts.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "../http/cursor.ts";
import { closed, FormIdParameters, PageQuery, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import type { WebhookStore } from "../webhooks/webhook-store.ts";
import type { CheckWebhookUrl } from "../webhooks/webhook-url.ts";
import { type Form, formsMax } from "./form.ts";
import { describeHold } from "./form-hold-store.ts";
import {
  checkSealedLimit,
  createReadSettings,
  type FormErrors,
  invalidFormSettings,
  readName,
  readWantedKeys,
} from "./form-input.ts";
import { CreateFormInput } from "./form-input-schemas.ts";
import { CreatedFormBody, FormBody, FormListBody } from "./form-schemas.ts";
import { defaultSettings, namesShownIn, pickSettings } from "./form-settings.ts";
import type { FormStore, ListedForm } from "./form-store.ts";
import { isHybrid, type MakeKeyPair, toFormKey } from "./make-key-pair.ts";
import { loadOwnedForm } from "./owned-form.ts";

export interface FormRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly webhooks: WebhookStore;
  readonly checkWebhookUrl: CheckWebhookUrl;
  readonly embedScripts: EmbedScripts;
  readonly address: OwnAddress;
  readonly makeKeyPair: MakeKeyPair;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

const listedSettings = namesShownIn("list");

/** Contract, section 5.3: the account's forms. */
export function createFormRoutes({
  database,
  forms,
  webhooks,
  checkWebhookUrl,
  embedScripts,
  address,
  makeKeyPair,
  hasRoom,
  clock,
}: FormRouteDependencies) {
  const readSettings = createReadSettings(checkWebhookUrl);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/forms",
      config: { access: "forms:read" },
      schema: {
        operationId: "listForms",
        summary: "List the account's forms, newest first",
        description:
          "Forms come with two of their settings; `getForm` shows all. Ask with `nextCursor` for the next page.",
        tags: ["Forms"],
        querystring: PageQuery,
        response: { 200: reference(FormListBody), ...problems(400, 401, 403, 429) },
      },
      handler: async (request) => {
        const accountId = accountOf(request);
        const named = principalOf(request).formIds;
        const { limit = pageLimitDefault, cursor } = request.query;
        const after = cursor === undefined ? undefined : parseCursor(cursor);
        // One more than asked for tells whether there is a next page.
        const [items, total] = await Promise.all([
          forms.list(accountId, limit + 1, after, named),
          forms.count(accountId, named),
        ]);
        const page = items.slice(0, limit);
        const last = items.length > limit ? page.at(-1)?.form : undefined;
        return {
          forms: page.map(toListItem),
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
        description: "`embedCode` is what goes into the page. `submissionCount` is what is stored now.",
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: closed({ form: reference(FormBody) }), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { form, submissionCount, keyProof, publicKey, hold } = await loadOwnedForm(
          forms,
          request,
          request.params.form_id,
        );
        const embedCode = createEmbedCode(address.baseUrl(), embedScripts.newest, {
          id: form.id,
          encryption: form.settings.encryption,
        });
        const { id, name, createdAt, updatedAt, settings } = form;
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
            ...(hold !== undefined && { hold: await describeHold(database, hold) }),
          },
        };
      },
    });

    app.route({
      method: "POST",
      url: "/api/forms",
      config: { access: "forms:write", invalidMessage: invalidFormSettings },
      schema: {
        operationId: "createForm",
        summary: "Create a form",
        description:
          "Send `publicKey` to bring your own key: then the service never sees the private one. Without it the service makes a pair, shows the private key in this answer and forgets it. `hybridPublicKey`, or `hybrid: true` where the service makes the keys, adds a hybrid key, against quantum computers.",
        tags: ["Forms"],
        body: CreateFormInput,
        response: {
          200: closed({ form: reference(CreatedFormBody) }),
          ...problems(400, 401, 403, 409, 413, 415, 429, 503),
        },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        const errors: FormErrors = {};
        const name = readName(request.body.name, errors);
        const given = await readSettings(request.body.settings ?? {}, errors);
        const wanted = readWantedKeys(request.body, errors);
        const settings = { ...defaultSettings, ...given };
        checkSealedLimit(settings, isHybrid(wanted), errors);
        refuseInvalid(errors, invalidFormSettings);
        await requireRoom(hasRoom);
        const keys = await makeKeyPair(accountOf(request), wanted);
        const createdAt = clock.now();
        const form: Form = {
          id: createId("form", createdAt),
          accountId: accountOf(request),
          name,
          settings,
          keyVersion: 1,
          createdAt,
          updatedAt: createdAt,
        };
        const key = await toFormKey(keys, { version: 1, createdAt, madeBy: wanted.maker });
        const outcome = await database.transaction().execute(async (transaction) => {
          const created = await forms.create(transaction, form, key);
          if (created === "too_many")
            throw new Problem(
              "conflict",
              `An account has at most ${formsMax} forms. Delete one that is not needed first.`,
            );
          if (created !== "created") return created;
          await webhooks.create(transaction, form.id, createWebhookSecret(), settings.webhookUrl);
          await recordAction(transaction, {
            ...byPrincipal(principalOf(request)),
            action: "form.created",
            occurredAt: createdAt,
            target: { type: "form", id: form.id, name },
          });
          return created;
        });
        if (outcome === "name_taken") throw new Problem("conflict", "A form with this name already exists");
        return { form: { id: form.id, name, createdAt, ...keys, settings } };
      },
    });
  };
}

function toListItem({ form, submissionCount, receivedCount, lastReceivedAt, keyProof, publicKey, hold }: ListedForm) {
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
    ...(hold !== undefined && { held: true as const }),
  };
}

function parseCursor(cursor: string) {
  const [createdAt, id] = decodeCursor(cursor);
  if (!isId("form", id)) throw invalidCursor();
  return { createdAt, id };
}
