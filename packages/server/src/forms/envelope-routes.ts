import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { firstVersionOf } from "@sealpost/envelope/form";
import type { FormId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { accountOf, personOf, principalOf, requireFreshSession } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "../http/cursor.ts";
import { answerUnchanged, isUnchanged, KnownHeaders, readSeen, SeenHeaders, Unchanged } from "../http/preconditions.ts";
import { FormIdParameters, PageQuery, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { formNotFound, Problem } from "../problems/problem.ts";
import { type HasRoom, hasRoomFor, organizationFull, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { daysKept, removalsMax, restorableMilliseconds, revisionsKept } from "./envelope.ts";
import {
  EnvelopeInput,
  EnvelopeListBody,
  EnvelopeParameters,
  EnvelopeQuery,
  EnvelopeRevisionListBody,
  RestoreQuery,
  WrittenEnvelopeBody,
} from "./envelope-schemas.ts";
import type { EnvelopeStore } from "./envelope-store.ts";
import type { Form } from "./form.ts";
import { requireNotHeld } from "./form-hold-store.ts";
import type { FormStore } from "./form-store.ts";
import { loadOwnedForm } from "./owned-form.ts";
import {
  describeWritten,
  envelopeBodyBytesMax,
  findWritten,
  type RequireRecoveryKey,
  readEnvelope,
  tagOf,
  writeEnvelope,
  writerOf,
} from "./write-envelope.ts";

export interface EnvelopeRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly envelopes: EnvelopeStore;
  readonly requireRecoveryKey: RequireRecoveryKey;
  readonly sendSecurityMail: SendSecurityMail;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

const listUrl = "/api/forms/:form_id/envelopes";
const url = `${listUrl}/:lowest_version`;

/** The private keys of a form, sealed for its readers. The service keeps their bytes. */
export function createEnvelopeRoutes(dependencies: EnvelopeRouteDependencies) {
  const { database, forms, envelopes, requireRecoveryKey, sendSecurityMail, hasRoom, clock } = dependencies;
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
        return showAll(form.id);
      },
    });

    app.route({
      method: "GET",
      url,
      config: { access: "submissions:read" },
      schema: {
        operationId: "getEnvelope",
        summary: "Get an envelope",
        description: `An ordinary file of age (SPECIFICATION.md section 15), which only its readers open: \`age -d -i identity.txt envelope.age\`. Check it against the signed list and the newest head that you have seen. The \`ETag\` is its revision and hash. The newest ${revisionsKept} revisions stay, each revision until ${daysKept} days after the next one, and the newest of each writer and those that came with a key.`,
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
      method: "GET",
      url: `${url}/revisions`,
      config: { access: "submissions:read" },
      schema: {
        operationId: "listEnvelopeRevisions",
        summary: "List the revisions of an envelope, newest first",
        description:
          "Those that the service still has, without their bytes: to look for one that opens below revisions that do not. What says who stored each is the service's word, and no proof.",
        tags: ["Forms"],
        params: EnvelopeParameters,
        querystring: PageQuery,
        response: { 200: reference(EnvelopeRevisionListBody), ...problems(400, 401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        const version = parseVersion(request.params.lowest_version);
        const { limit = pageLimitDefault, cursor } = request.query;
        const below = cursor === undefined ? undefined : parseCursor(cursor);
        const found =
          version === undefined ? [] : await envelopes.listRevisions(form.id, version, { below, limit: limit + 1 });
        if (found.length === 0 && below === undefined) throw new Problem("not_found", "The form has no such envelope");
        const revisions = found.slice(0, limit).map(({ lowestVersion: _, ...one }) => one);
        const last = found.length > limit ? revisions.at(-1) : undefined;
        return { revisions, nextCursor: last === undefined ? null : encodeCursor(last.revision, 0) };
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
          "The service sees its size and how many readers it has, and checks no more than that it is an age file for 1 to 64 recipients of one kind. Counts as what the organization stores; when it is full, a revision is taken that is no larger than the one before, and of your own only this one, the one before and those that came with a key are kept. By others than owners with a session at most 64 of an envelope within a day. The same bytes sent again after a lost answer are answered as before. By a session only within 60 minutes after its sign-in.",
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
        await requireRecoveryKey(accountOf(request), personOf(request));
        await requireRoom(hasRoom);
        const lowestVersion = parseVersion(request.params.lowest_version);
        const isFull = !(await hasRoomFor(hasRoom, principalOf(request)));
        if (isFull) await requireNoGrowth(found.form.id, lowestVersion, file);
        const envelope = await database.transaction().execute(async (transaction) => {
          const form = await forms.load(transaction, accountOf(request), found.form.id);
          if (form === undefined) throw formNotFound();
          if (lowestVersion === undefined || lowestVersion > form.keyVersion || !isFirst(lowestVersion))
            throw new Problem("not_found", "The form has no such key version");
          const now = clock.now();
          const next = { lowestVersion, file, seen, by: principalOf(request) };
          const before = await findWritten(transaction, envelopes, form, next);
          if (before !== undefined) return before;
          const written = await writeEnvelope(transaction, envelopes, form, next, now);
          if (isFull)
            await envelopes.dropFormer(transaction, form.id, {
              lowestVersion,
              writerId: writerOf(principalOf(request)),
            });
          await recordAction(transaction, describeWritten(principalOf(request), form, written));
          return written;
        });
        reply.header("etag", tagOf(envelope));
        return { envelope };
      },
    });

    app.route({
      method: "DELETE",
      url: listUrl,
      config: { access: "session" },
      schema: {
        operationId: "removeEnvelopes",
        summary: "Take a form back to key files",
        description:
          "All envelopes of the form are out of use, and can be restored for 30 days. Who has none of its private keys in a file can't open its submissions then. For owners, who are notified by email. Needs a sign-in within the last 60 minutes.",
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: reference(EnvelopeListBody), ...problems(401, 403, 404, 409, 429) },
      },
      handler: (request) => change(request, request.params.form_id, remove),
    });

    app.route({
      method: "POST",
      url: `${listUrl}/restore`,
      config: { access: "session" },
      schema: {
        operationId: "restoreEnvelopes",
        summary: "Restore the envelopes of a form that were removed last",
        description:
          "Within 30 days, and while the form has no others. `removedAt`: those that were removed then, and not the last ones. Needs a sign-in within the last 60 minutes.",
        tags: ["Forms"],
        params: FormIdParameters,
        querystring: RestoreQuery,
        response: { 200: reference(EnvelopeListBody), ...problems(401, 403, 404, 409, 429) },
      },
      handler: (request) =>
        change(request, request.params.form_id, (transaction, _request, form) =>
          restore(transaction, request, form, request.query.removedAt),
        ),
    });
  };

  /** A reader can be removed from an organization that is full: the next revision is no larger. */
  async function requireNoGrowth(formId: FormId, lowestVersion: number | undefined, file: Uint8Array): Promise<void> {
    const before = lowestVersion && (await envelopes.find(formId, lowestVersion));
    if (!before || file.length > before.file.length) throw organizationFull();
  }

  async function showAll(formId: FormId) {
    const [all, removals] = await Promise.all([envelopes.list(formId), envelopes.listRemovals(formId, clock.now())]);
    const [latest] = removals;
    const restorableUntil = latest === undefined ? null : latest + restorableMilliseconds;
    return { envelopes: [...all], removals: [...removals], restorableUntil };
  }

  async function change(request: FastifyRequest, id: string, work: ChangeEnvelopes) {
    requireFreshSession(request, clock.now());
    const found = await loadOwnedForm(forms, request, id);
    await database.transaction().execute(async (transaction) => {
      const form = await forms.load(transaction, accountOf(request), found.form.id);
      if (form === undefined) throw formNotFound();
      await work(transaction, request, form);
    });
    return showAll(found.form.id);
  }

  async function remove(transaction: DatabaseTransaction, request: FastifyRequest, form: Form): Promise<void> {
    const { length } = await envelopes.list(form.id, transaction);
    if (length === 0) throw new Problem("not_found", "The form has no such envelope");
    await requireNotHeld(transaction, form.id);
    const removals = await envelopes.listRemovals(form.id, clock.now(), transaction);
    if (removals.length >= removalsMax)
      throw new Problem("conflict", `Envelopes of this form were removed ${removalsMax} times within 30 days`);
    // Each removal has a time of its own, by which it is restored.
    const removedAt = Math.max(clock.now(), (removals[0] ?? 0) + 1);
    await envelopes.remove(transaction, form.id, removedAt);
    await record(transaction, request, form, "envelopes.removed", length);
    await sendSecurityMail(transaction, {
      ...{ accountId: form.accountId, formId: form.id, by: byPrincipal(principalOf(request)).actor },
      ...{ event: "envelopes_removed", occurredAt: clock.now() },
    });
  }

  async function restore(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    form: Form,
    removedAt: number | undefined,
  ): Promise<void> {
    const removals = await envelopes.listRemovals(form.id, clock.now(), transaction);
    const wanted = removedAt === undefined ? removals[0] : removals.find((time) => time === removedAt);
    if (wanted === undefined)
      throw new Problem("not_found", "No envelopes of this form were removed within the last 30 days");
    if ((await envelopes.list(form.id, transaction)).length > 0)
      throw new Problem("conflict", "This form has envelopes in use: remove those first");
    await envelopes.restore(transaction, form.id, wanted);
    const { length } = await envelopes.list(form.id, transaction);
    await record(transaction, request, form, "envelopes.restored", length);
  }

  function record(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    { id, name }: Form,
    action: "envelopes.removed" | "envelopes.restored",
    count: number,
  ): Promise<void> {
    const target = { type: "form", id, name } as const;
    return recordAction(transaction, {
      ...{ ...byPrincipal(principalOf(request)), action, occurredAt: clock.now(), target, count },
    });
  }
}

type ChangeEnvelopes = (transaction: DatabaseTransaction, request: FastifyRequest, form: Form) => Promise<void>;

/** Envelopes are for versions 1 to 32, 33 to 64 and so on. */
function isFirst(version: number): boolean {
  return firstVersionOf(version) === version;
}

function parseVersion(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** An integer in both databases. */
const revisionMax = 2_147_483_647;

/** The revision below which the page begins. */
function parseCursor(cursor: string): number {
  const [revision] = decodeCursor(cursor);
  if (revision > revisionMax) throw invalidCursor();
  return revision;
}
