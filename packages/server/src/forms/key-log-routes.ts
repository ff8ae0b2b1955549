import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { keyLogNumberMax } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { accountOf, personOf, principalOf, requireFreshSession } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import { requireConfirmation } from "../http/confirmation.ts";
import { installCors } from "../http/cors.ts";
import { KnownHeaders, readSeen, requireSeen, SeenHeaders, toTag } from "../http/preconditions.ts";
import { closed, FormIdParameters, problems } from "../http/schemas.ts";
import { answerLines, signedLines } from "../http/signed-lines.ts";
import { formNotFound, Problem } from "../problems/problem.ts";
import { type HasRoom, requireRoomForRescue } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { checkOrigin } from "./check-origin.ts";
import { requireNotHeld } from "./form-hold-store.ts";
import type { FormStore } from "./form-store.ts";
import type { KeyLogStore } from "./key-log-store.ts";
import { loadOwnedForm } from "./owned-form.ts";
import type { PublicForms } from "./public-forms.ts";
import { type FindListedSigners, KeyLogEntryText, verifyFollowing, writeKeyLogEntry } from "./write-key-log.ts";

export interface KeyLogRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly publicForms: PublicForms;
  readonly keyLogs: KeyLogStore;
  readonly findListedSigners: FindListedSigners;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

const url = "/api/forms/:form_id/keys/log";

/** Pages that pin a key log read it before they seal. */
export function createPublicKeyLogRoutes({
  publicForms,
  keyLogs,
}: Pick<KeyLogRouteDependencies, "publicForms" | "keyLogs">) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    installCors(app, [{ url, methods: "GET" }]);
    app.route({
      method: "GET",
      url,
      config: { access: "public" },
      schema: {
        operationId: "getKeyLog",
        summary: "Get a form's key log",
        description:
          "The entries of SPECIFICATION.md section 20, from a number on: a page asks from the one that it pins, and verifies them. At most 128 at a time: who gets so many asks again, from the last one on. The `ETag` is the number and the hash of the newest entry. Needs no credential, and may be kept, but is asked for again each time, since a rotation adds to it; a page of an origin that the form does not name gets 403.",
        tags: ["Public"],
        security: [],
        params: FormIdParameters,
        querystring: closed({
          from: Type.Optional(
            Type.Integer({ minimum: 1, maximum: keyLogNumberMax, default: 1, description: "The first entry to get." }),
          ),
        }),
        headers: KnownHeaders,
        response: {
          ...signedLines("Two lines for each entry; nothing where there is no entry of this number yet."),
          ...problems(400, 403, 404, 429),
        },
      },
      handler: async (request, reply) => {
        const found = await publicForms.find(request.params.form_id);
        if (found === undefined) throw formNotFound();
        checkOrigin(request, found.form);
        const last = await keyLogs.findLast(found.form.id);
        if (last === undefined) throw new Problem("not_found", "This form has no key log");
        reply.headers({ "cache-control": "public, no-cache", vary: "Origin" });
        const { from = 1 } = request.query;
        return answerLines(request, reply, last, async () => {
          const text = from === last.number ? last.entry : await keyLogs.findText(found.form.id, from);
          return { text, head: last };
        });
      },
    });
  };
}

/** Beginning a key log, changing who may sign it, and giving it up. Creations and rotations of forms bring their entries along. */
export function createKeyLogRoutes(dependencies: KeyLogRouteDependencies) {
  const { database, forms, keyLogs, findListedSigners, hasRoom, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "POST",
      url,
      config: { access: "forms:write" },
      schema: {
        operationId: "addKeyLogEntry",
        summary: "Begin a form's key log, or change who may sign it",
        description:
          "`If-Match` names the newest entry, `If-None-Match: *` begins a log. From then on a rotation brings its entry along (`keyLogEntry`), or is refused with 409. Where the organization has a signed list of members, an owner's entry names all of its owners, and recovery keys that sign, as owners, and none but its managers as managers. By a session only within 60 minutes after its sign-in.",
        tags: ["Forms"],
        headers: SeenHeaders,
        params: FormIdParameters,
        body: closed({ entry: KeyLogEntryText }),
        response: {
          200: closed({
            head: closed(
              { number: Type.Integer({ minimum: 1 }), hash: Type.String() },
              { description: "The new end of the log, which a page pins as `NUMBER-HASH`." },
            ),
          }),
          ...problems(400, 401, 403, 404, 409, 412, 413, 415, 428, 429, 503),
        },
      },
      handler: async (request, reply) => {
        requireFreshSession(request, clock.now());
        const seen = readSeen(request);
        const accountId = accountOf(request);
        const found = await loadOwnedForm(forms, request, request.params.form_id);
        await requireRoomForRescue(hasRoom, principalOf(request));
        const key = await forms.findKey(found.form.id, found.form.keyVersion);
        const newest = await keyLogs.findLast(found.form.id);
        requireSeen(seen, newest && toTag(newest));
        const by = principalOf(request);
        const { entry } = request.body;
        await verifyFollowing(keyLogs, found.form.id, newest, { entry, by, now: clock.now() });
        const listed = await findListedSigners(accountId, personOf(request));
        const { head } = await database.transaction().execute(async (transaction) => {
          const form = await forms.load(transaction, accountId, found.form.id);
          if (form === undefined) throw formNotFound();
          const last = await keyLogs.findLast(form.id, transaction);
          requireSeen(seen, last && toTag(last));
          if (key?.version !== form.keyVersion)
            throw new Problem("conflict", "Somebody else was faster. Please try again.");
          return writeKeyLogEntry(transaction, keyLogs, form, { entry, listed, key, by, now: clock.now() });
        });
        reply.header("etag", toTag(head));
        return { head };
      },
    });

    app.route({
      method: "DELETE",
      url,
      config: { access: "session" },
      attachValidation: true,
      schema: {
        operationId: "removeKeyLog",
        summary: "Give up a form's key log",
        description:
          "For a log that nobody can sign any more. Pages that pin it send nothing from then on, until they pin another one. Owners alone, within 60 minutes after a sign-in, and not while a legal hold lasts.",
        tags: ["Forms"],
        params: FormIdParameters,
        querystring: closed({ confirm: Type.Literal("REMOVE_KEY_LOG", { description: "Says that you mean it." }) }),
        response: {
          200: closed({ success: Type.Literal(true) }, { description: "The form has no key log any more." }),
          ...problems(400, 401, 403, 404, 409, 429),
        },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        requireConfirmation(request, "Add ?confirm=REMOVE_KEY_LOG to give up this form's key log");
        const accountId = accountOf(request);
        const found = await loadOwnedForm(forms, request, request.params.form_id);
        await database.transaction().execute(async (transaction) => {
          const form = await forms.load(transaction, accountId, found.form.id);
          if (form === undefined) throw formNotFound();
          const last = await keyLogs.findLast(form.id, transaction);
          if (last === undefined) throw new Problem("not_found", "This form has no key log");
          await requireNotHeld(transaction, form.id);
          await keyLogs.remove(transaction, form.id);
          await recordAction(transaction, {
            ...byPrincipal(principalOf(request)),
            action: "key_log.removed",
            occurredAt: clock.now(),
            target: { type: "form", id: form.id, name: form.name },
            details: { changes: [{ setting: "keyLogEntry", from: last.number, to: null }] },
          });
        });
        return { success: true as const };
      },
    });
  };
}
