import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { accountOf, principalOf, requireFreshSession } from "../access/access.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import { answerUnchanged, isUnchanged, KnownHeaders, readSeen, SeenHeaders, Unchanged } from "../http/preconditions.ts";
import { FormIdParameters, problems, reference } from "../http/schemas.ts";
import { formNotFound, Problem } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import {
  EnvelopeInput,
  EnvelopeListBody,
  EnvelopeParameters,
  EnvelopeQuery,
  WrittenEnvelopeBody,
} from "./envelope-schemas.ts";
import type { EnvelopeStore } from "./envelope-store.ts";
import type { FormStore } from "./form-store.ts";
import { loadOwnedForm } from "./owned-form.ts";
import { describeWritten, envelopeBodyBytesMax, readEnvelope, tagOf, writeEnvelope } from "./write-envelope.ts";

export interface EnvelopeRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly envelopes: EnvelopeStore;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

const listUrl = "/api/forms/:form_id/envelopes";
const url = `${listUrl}/:lowest_version`;

/** The private keys of a form, sealed for its readers. The service keeps their bytes. */
export function createEnvelopeRoutes({ database, forms, envelopes, hasRoom, clock }: EnvelopeRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: listUrl,
      config: { access: "submissions:read" },
      schema: {
        operationId: "listEnvelopes",
        summary: "List a form's envelopes",
        description: "An empty list: the form's private keys are in files that people keep themselves.",
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: reference(EnvelopeListBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        return { envelopes: [...(await envelopes.list(form.id))] };
      },
    });

    app.route({
      method: "GET",
      url,
      config: { access: "submissions:read" },
      schema: {
        operationId: "getEnvelope",
        summary: "Get an envelope",
        description:
          "An ordinary file of age (SPECIFICATION.md section 15), which only its readers open: `age -d -i identity.txt envelope.age`. Check it against the signed list and the newest head that you have seen. The `ETag` is its revision and hash. The newest 20 revisions stay, and the last of each day until 30 days after the next one.",
        tags: ["Forms"],
        headers: KnownHeaders,
        params: EnvelopeParameters,
        querystring: EnvelopeQuery,
        response: {
          200: {
            description: "The bytes of the file.",
            content: { "application/octet-stream": { schema: Type.String({ format: "binary" }) } },
          },
          304: Unchanged,
          ...problems(400, 401, 403, 404, 429),
        },
      },
      handler: async (request, reply) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        const version = parseVersion(request.params.lowest_version);
        const found = version && (await envelopes.find(form.id, version, request.query.revision));
        if (!found) throw new Problem("not_found", "The form has no such envelope");
        reply.header("etag", tagOf(found));
        if (isUnchanged(request, tagOf(found))) return answerUnchanged(reply);
        return reply.type("application/octet-stream").send(Buffer.from(found.file) as never); // its bytes, as the schema says
      },
    });

    app.route({
      method: "PUT",
      url,
      bodyLimit: envelopeBodyBytesMax,
      config: { access: "forms:write" },
      schema: {
        operationId: "putEnvelope",
        summary: "Store the next revision of an envelope",
        description:
          "The service sees its size and how many readers it has, and checks no more than that it is an age file for 1 to 64 recipients of one kind. Counts as storage of no quota. By a session only within 60 minutes after its sign-in.",
        tags: ["Forms"],
        headers: SeenHeaders,
        params: EnvelopeParameters,
        body: EnvelopeInput,
        response: {
          200: WrittenEnvelopeBody,
          ...problems(400, 401, 403, 404, 409, 412, 413, 415, 428, 429, 503),
        },
      },
      handler: async (request, reply) => {
        requireFreshSession(request, clock.now());
        const found = await loadOwnedForm(forms, request, request.params.form_id);
        const seen = readSeen(request);
        const file = await readEnvelope(request.body.envelope);
        await requireRoom(hasRoom);
        const lowestVersion = parseVersion(request.params.lowest_version);
        const envelope = await database.transaction().execute(async (transaction) => {
          const form = await forms.load(transaction, accountOf(request), found.form.id);
          if (form === undefined) throw formNotFound();
          if (lowestVersion === undefined || lowestVersion > form.keyVersion)
            throw new Problem("not_found", "The form has no such key version");
          const now = clock.now();
          const written = await writeEnvelope(transaction, envelopes, form, { lowestVersion, file, seen }, now);
          await recordAction(transaction, describeWritten(principalOf(request), form, written));
          return written;
        });
        reply.header("etag", tagOf(envelope));
        return { envelope };
      },
    });
  };
}

function parseVersion(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
