import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import {
  createId,
  createWebhookSecret,
  fingerprint,
  generateKeyPair,
  type KeyPair,
  type PublicKey,
  parsePublicKey,
} from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import type { OwnAddress } from "../address.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import type { EmbedScripts } from "../embed/embed-scripts.ts";
import { accountOf } from "../http/access.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { closed, FormIdParameters, PageQuery, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problem.ts";
import type { WebhookStore } from "../webhooks/webhook-store.ts";
import type { CheckWebhookUrl } from "../webhooks/webhook-url.ts";
import { createEmbedCode } from "./embed-code.ts";
import { defaultSettings, type Form, nameLengthMax, parseOrigin } from "./form.ts";
import { CreatedFormBody, CreateFormInput, FormBody, FormListBody, type SettingsInput } from "./form-schemas.ts";
import type { FormListItem, FormStore } from "./form-store.ts";

export interface FormRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly webhooks: WebhookStore;
  readonly checkWebhookUrl: CheckWebhookUrl;
  readonly embedScripts: EmbedScripts;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

const invalidMessage = "Invalid form settings";

/** interface.md 4.1: the account's forms. */
export function createFormRoutes({
  database,
  forms,
  webhooks,
  checkWebhookUrl,
  embedScripts,
  address,
  clock,
}: FormRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/forms",
      config: { access: "forms:read" },
      schema: {
        operationId: "listForms",
        summary: "List the account's forms, newest first",
        tags: ["Forms"],
        querystring: PageQuery,
        response: { 200: reference(FormListBody), ...problems(400, 401, 403, 429) },
      },
      handler: async (request) => {
        const accountId = accountOf(request);
        const { limit = pageLimitDefault, cursor } = request.query;
        const [createdAt, id] = cursor === undefined ? [] : decodeCursor(cursor);
        const after = createdAt === undefined ? undefined : { createdAt, id: String(id) };
        // One more than asked for tells whether there is a next page.
        const [items, total] = await Promise.all([forms.list(accountId, limit + 1, after), forms.count(accountId)]);
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
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: closed({ form: reference(FormBody) }), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const item = await forms.find(accountOf(request), request.params.form_id);
        if (item === undefined) throw new Problem("not_found", "Form not found");
        const { form, submissionCount, publicKey } = item;
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
            publicKey,
            settings: toSettingsBody(settings),
            embedCode,
          },
        };
      },
    });

    app.route({
      method: "POST",
      url: "/api/forms",
      config: { access: "forms:write", invalidMessage },
      schema: {
        operationId: "createForm",
        summary: "Create a form",
        description:
          "Send `publicKey` to bring your own key: then the service never sees the private one. Without it the service makes a pair, shows the private key in this answer and forgets it.",
        tags: ["Forms"],
        body: CreateFormInput,
        response: { 200: closed({ form: reference(CreatedFormBody) }), ...problems(400, 401, 403, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        const { settings: input = {}, publicKey: ownKey } = request.body;
        const name = parseName(request.body.name);
        const settings = { ...defaultSettings, webhookUrl: null, ...(await parseSettings(input)) };
        const pair = await createPair(ownKey);
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
        const key = {
          version: 1,
          publicKey: pair.publicKey,
          fingerprint: await fingerprint(pair.publicKey),
          createdAt,
        };
        const outcome = await database.transaction().execute(async (transaction) => {
          const created = await forms.create(transaction, form, key);
          if (created === "created")
            await webhooks.create(transaction, form.id, createWebhookSecret(), settings.webhookUrl);
          return created;
        });
        if (outcome === "name_taken") throw new Problem("conflict", "A form with this name already exists");
        return { form: { id: form.id, name, createdAt, ...pair, settings: toSettingsBody(settings) } };
      },
    });
  };

  async function parseSettings(input: SettingsInput): Promise<Partial<Form["settings"]>> {
    const { webhookUrl, allowedOrigins, ...flags } = input;
    const details: Record<string, string> = {};
    const origins = allowedOrigins?.map((text, index) => {
      const origin = parseOrigin(text);
      if (origin === undefined)
        details[`settings.allowedOrigins.${index}`] =
          "Must be *, an origin like https://example.com, or https://*.example.com";
      return origin ?? text;
    });
    const checked = typeof webhookUrl === "string" ? await checkWebhookUrl(webhookUrl) : undefined;
    if (checked?.ok === false) details["settings.webhookUrl"] = checked.message;
    if (Object.keys(details).length > 0) throw new Problem("bad_request", invalidMessage, { details });
    return {
      ...flags,
      ...(origins && { allowedOrigins: [...new Set(origins)] }),
      ...(webhookUrl !== undefined && { webhookUrl: checked?.ok ? checked.url : null }),
    };
  }
}

function parseName(text: string): string {
  const name = text.trim();
  const fault =
    name === ""
      ? "Must not be empty"
      : [...name].length > nameLengthMax
        ? `Must have at most ${nameLengthMax} characters`
        : undefined;
  if (fault !== undefined) throw new Problem("bad_request", invalidMessage, { details: { name: fault } });
  return name;
}

/** The caller's own public key, or a fresh pair whose private half goes into the answer and nowhere else. */
async function createPair(ownKey: unknown): Promise<KeyPair | { readonly publicKey: PublicKey }> {
  if (ownKey === undefined) return generateKeyPair();
  const publicKey = parsePublicKey(ownKey);
  if (typeof publicKey === "string") throw new Problem("bad_request", invalidMessage, { details: { publicKey } });
  return { publicKey };
}

function toListItem({ form, submissionCount, publicKey }: FormListItem) {
  const { id, name, createdAt, settings } = form;
  return {
    id,
    name,
    createdAt,
    submissionCount,
    publicKey,
    settings: { encryption: settings.encryption, piiStrip: settings.piiStrip },
  };
}

function toSettingsBody({ encryption, piiStrip, webhookUrl, allowedOrigins }: Form["settings"]) {
  return { encryption, piiStrip, webhookUrl, allowedOrigins: [...allowedOrigins] };
}
