import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { firstVersionOf } from "@sealpost/envelope/form";
import { createId, createWebhookSecret, type FormId, isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import {
  accountOf,
  askerOf,
  personOf,
  principalOf,
  requireFreshSession,
  requireVerifiedAddress,
} from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { closed, problems, reference } from "../http/schemas.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import type { WebhookStore } from "../webhooks/webhook-store.ts";
import type { CheckWebhookUrl } from "../webhooks/webhook-url.ts";
import type { EnvelopeStore } from "./envelope-store.ts";
import { type Form, formsMax, listChanges } from "./form.ts";
import {
  checkSealedLimit,
  createReadSettings,
  type FormErrors,
  invalidFormSettings,
  readName,
  readWantedKeys,
} from "./form-input.ts";
import { CreateFormInput } from "./form-input-schemas.ts";
import { toReservedBy } from "./form-reservation-routes.ts";
import type { FormReservationStore } from "./form-reservation-store.ts";
import { CreatedFormBody } from "./form-schemas.ts";
import { defaultSettings } from "./form-settings.ts";
import type { FormStore } from "./form-store.ts";
import type { KeyLogStore } from "./key-log-store.ts";
import { isHybrid, type MakeKeyPair, toFormKey } from "./make-key-pair.ts";
import {
  describeWritten,
  envelopeBodyBytesMax,
  type RequireRecoveryKey,
  readEnvelope,
  requireOrdinarySize,
  writeEnvelope,
} from "./write-envelope.ts";
import { type FindListedSigners, writeKeyLogEntry } from "./write-key-log.ts";

export interface FormCreationRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly envelopes: EnvelopeStore;
  readonly keyLogs: KeyLogStore;
  readonly findListedSigners: FindListedSigners;
  readonly requireRecoveryKey: RequireRecoveryKey;
  readonly formReservations: FormReservationStore;
  readonly webhooks: WebhookStore;
  readonly checkWebhookUrl: CheckWebhookUrl;
  readonly makeKeyPair: MakeKeyPair;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

/** Contract, section 5.3: making a form, with its first key and, where the request has one, its envelope. */
export function createFormCreationRoutes({
  database,
  forms,
  envelopes,
  keyLogs,
  findListedSigners,
  requireRecoveryKey,
  formReservations,
  webhooks,
  checkWebhookUrl,
  makeKeyPair,
  hasRoom,
  clock,
}: FormCreationRouteDependencies) {
  const readSettings = createReadSettings(checkWebhookUrl);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "POST",
      url: "/api/forms",
      bodyLimit: envelopeBodyBytesMax,
      config: { access: "forms:write", invalidMessage: invalidFormSettings, fieldNames: "contract" },
      schema: {
        operationId: "createForm",
        summary: "Create a form",
        description:
          'Send `publicKey` to bring your own key: then the service never sees the private one. Without it the service makes a pair, shows the private key in this answer and forgets it. `hybridPublicKey`, or `hybrid: true` where the service makes the keys, adds a hybrid key, against quantum computers. With `formId`, the id that `reserveForm` gave, a request makes at most one form: if its answer is lost, `getForm` says whether it was made. With `envelope` too, the form and the envelope of its first key are made in one step. A session makes a form only within 60 minutes after its sign-in (`code: "session_stale"`); an API key at any time.',
        tags: ["Forms"],
        body: CreateFormInput,
        response: {
          200: closed({ form: reference(CreatedFormBody) }),
          ...problems(400, 401, 403, 409, 413, 415, 429, 503),
        },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        // It has keys and a webhook address, which a stale session may change of no form: it could take another one's place.
        requireFreshSession(request, clock.now());
        const errors: FormErrors = {};
        const name = readName(request.body.name, errors);
        const given = await readSettings(request.body.settings ?? {}, errors);
        const wanted = readWantedKeys(request.body, errors);
        const settings = { ...defaultSettings, ...given };
        checkSealedLimit(settings, isHybrid(wanted), errors);
        checkEnvelopeParts(request.body, errors);
        refuseInvalid(errors, invalidFormSettings);
        const reservedId = readReservedId(request.body);
        const envelope = await readFirstEnvelope(request);
        await requireRoom(hasRoom, principalOf(request));
        const { keyLogEntry: entry } = request.body;
        const listed = entry === undefined ? undefined : await findListedSigners(accountOf(request), personOf(request));
        const keys = await makeKeyPair(askerOf(request), wanted);
        const createdAt = clock.now();
        const form: Form = {
          id: reservedId ?? createId("form", createdAt),
          accountId: accountOf(request),
          name,
          settings,
          keyVersion: 1,
          createdAt,
          updatedAt: createdAt,
        };
        const key = await toFormKey(keys, { version: 1, createdAt, madeBy: wanted.maker });
        const chosen = listChanges({ ...form, settings: defaultSettings }, form);
        await database.transaction().execute(async (transaction) => {
          // Before the form, whose id it is; a name that is taken gives it back, with the transaction.
          if (reservedId !== undefined) await takeReservation(transaction, request, reservedId, createdAt);
          const created = await forms.create(transaction, form, key);
          if (created === "too_many")
            throw new Problem(
              "conflict",
              `An account has at most ${formsMax} forms. Delete one that is not needed first.`,
            );
          if (created === "name_taken") throw new Problem("conflict", "A form with this name already exists");
          await webhooks.create(transaction, form, createWebhookSecret(), {
            url: settings.webhookUrl,
            setBy: personOf(request),
          });
          if (settings.webhookRedirects !== defaultSettings.webhookRedirects)
            await webhooks.setRedirects(transaction, form.id, settings.webhookRedirects);
          await recordAction(transaction, {
            ...byPrincipal(principalOf(request)),
            action: "form.created",
            occurredAt: createdAt,
            target: { type: "form", id: form.id, name },
            ...(chosen.length > 0 && { details: { changes: chosen } }),
          });
          if (envelope === undefined) return;
          const by = principalOf(request);
          const first = {
            lowestVersion: firstVersionOf(form.keyVersion),
            file: envelope,
            seen: { tag: undefined },
            by: principalOf(request),
          };
          const written = await writeEnvelope(transaction, envelopes, form, first, createdAt);
          await recordAction(transaction, describeWritten(principalOf(request), form, written));
          if (entry === undefined) return;
          await writeKeyLogEntry(transaction, keyLogs, form, { entry, listed, key, by, now: createdAt });
        });
        return { form: { id: form.id, name, createdAt, ...keys, settings } };
      },
    });
  };

  /** The envelope of the first key, where the request has one. */
  async function readFirstEnvelope(request: FastifyRequest<{ Body: Static<typeof CreateFormInput> }>) {
    const { envelope } = request.body;
    if (envelope === undefined) {
      requireOrdinarySize(request);
      return undefined;
    }
    const file = await readEnvelope(envelope);
    await requireRecoveryKey(accountOf(request), personOf(request));
    return file;
  }

  async function takeReservation(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    formId: FormId,
    now: number,
  ): Promise<void> {
    const isReserved = await formReservations.use(transaction, formId, toReservedBy(principalOf(request)), now);
    if (!isReserved) throw reservationUnknown();
  }
}

function readReservedId({ formId }: Static<typeof CreateFormInput>): FormId | undefined {
  if (formId === undefined) return undefined;
  if (!isId("form", formId)) throw reservationUnknown();
  return formId;
}

/** Also for the id of a form that there is, and for another's: who guesses one learns nothing. */
function reservationUnknown(): Problem {
  return new Problem(
    "conflict",
    "This id is not reserved for you, was used, or is over an hour old. Reserve another one.",
  );
}

/**
 * An envelope has the private half of a key that its maker brings, and the form's id: it goes without neither. Nor does an id without that key:
 * the private half of one that the service makes is in the answer alone, so a form whose answer was lost is not to be recognized but deleted.
 */
function checkEnvelopeParts(
  { envelope, formId, publicKey, keyLogEntry }: Static<typeof CreateFormInput>,
  errors: FormErrors,
): void {
  if (publicKey === undefined && envelope === undefined && formId !== undefined)
    errors.formId = "Must be left out without a public key of your own";
  if (envelope === undefined && keyLogEntry !== undefined) errors.keyLogEntry = "Must be left out without an envelope";
  if (envelope === undefined) return;
  if (formId === undefined)
    errors.formId = "Must be there with an envelope: the id that POST /api/forms/reservations gave";
  if (publicKey === undefined) errors.publicKey ??= "Must be there with an envelope, which has its private key";
}
