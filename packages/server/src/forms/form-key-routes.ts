import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { firstVersionOf } from "@sealpost/envelope/form";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { accountOf, askerOf, personOf, principalOf, requireFreshSession, roleInsufficient } from "../access/access.ts";
import type { Principal } from "../access/principal.ts";
import { type AuditChange, byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { readSeen, type Seen, SeenHeaders } from "../http/preconditions.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { recordEvents } from "../outbox/record-events.ts";
import { formNotFound, Problem, refuseInvalid } from "../problems/problem.ts";
import { type HasRoom, requireRoomForRescue } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import type { EnvelopeStore } from "./envelope-store.ts";
import type { Form, FormKey } from "./form.ts";
import { checkSealedLimit, type FormErrors, readWantedKeys } from "./form-input.ts";
import { type RotateKeys, RotateKeysInput } from "./form-input-schemas.ts";
import { closeKeys } from "./form-key-closing-routes.ts";
import { RotatedFormBody } from "./form-schemas.ts";
import type { FormStore } from "./form-store.ts";
import { requireOlder } from "./key-closing.ts";
import type { KeyLogStore } from "./key-log-store.ts";
import { type MadeKeys, type MakeKeyPair, toFormKey } from "./make-key-pair.ts";
import { loadOwnedForm } from "./owned-form.ts";
import type { PublicForms } from "./public-forms.ts";
import { requireVersionLeft } from "./rotation-bounds.ts";
import {
  describeWritten,
  envelopeBodyBytesMax,
  type RequireRecoveryKey,
  readEnvelope,
  requireOrdinarySize,
  writeEnvelope,
} from "./write-envelope.ts";
import { type EntryToWrite, type FindListedSigners, writeKeyLogEntry } from "./write-key-log.ts";

export interface FormKeyRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly envelopes: EnvelopeStore;
  readonly keyLogs: KeyLogStore;
  readonly findListedSigners: FindListedSigners;
  readonly requireRecoveryKey: RequireRecoveryKey;
  readonly publicForms: PublicForms;
  /** Called after a commit that may have made deliveries due. */
  readonly wakeDeliveries: () => void;
  readonly makeKeyPair: MakeKeyPair;
  readonly hasRoom: HasRoom;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

/** A form's key pairs (contract, section 6). Versions count from 1; older ones stay accepted. */
export function createFormKeyRoutes({
  database,
  forms,
  envelopes,
  keyLogs,
  findListedSigners,
  requireRecoveryKey,
  publicForms,
  wakeDeliveries,
  makeKeyPair,
  hasRoom,
  sendSecurityMail,
  clock,
}: FormKeyRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "POST",
      url: "/api/forms/:form_id/rotate-keys",
      bodyLimit: envelopeBodyBytesMax,
      config: { access: "forms:write" },
      schema: {
        operationId: "rotateFormKeys",
        summary: "Give a form a new key pair",
        description:
          "Without a body the service makes the pair, shows the private key in this answer and forgets it. Send `publicKey` to bring your own. `hybridPublicKey`, or `hybrid: true` where the service makes the keys, gives the version a hybrid key as well, against quantum computers; without them it has none, also after one that had. Keep the private keys before: what was sealed to them opens with nothing else. With `closeKeyVersions` older versions end in the same step, as with `closeFormKeys`. A form with an envelope wants the next revision of it in the same request: `keyVersion`, `envelope` and `If-Match`. By a session only within 60 minutes after its sign-in.",
        tags: ["Forms"],
        headers: SeenHeaders,
        params: FormIdParameters,
        body: RotateKeysInput,
        response: {
          200: closed({ form: reference(RotatedFormBody) }),
          ...problems(400, 401, 403, 404, 409, 412, 413, 415, 428, 429, 503),
        },
      },
      // The schema takes an absent body as null; who writes null may have lost the key that was to be sent.
      preValidation: async ({ body }) => {
        if (body === null)
          throw new Problem("bad_request", "Invalid request", { details: { body: "Must be an object" } });
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const accountId = accountOf(request);
        const found = await loadOwnedForm(forms, request, request.params.form_id);
        const errors: FormErrors = {};
        const wanted = readWantedKeys(request.body ?? {}, errors);
        checkEnvelopeParts(request.body ?? {}, errors);
        refuseInvalid(errors, "Invalid request");
        const envelope = await readNextEnvelope(request);
        const entry = request.body?.keyLogEntry;
        const logged =
          entry === undefined ? undefined : { entry, listed: await findListedSigners(accountId, personOf(request)) };
        await requireRoomForRescue(hasRoom, principalOf(request));
        const keys = await makeKeyPair(askerOf(request), wanted);
        const made = await toFormKey(keys, { version: 0, createdAt: 0, madeBy: wanted.maker });
        const rotated = await database.transaction().execute(async (transaction) => {
          // The version is counted inside the transaction, so that rotations at the same time follow each other.
          const form = await forms.load(transaction, accountId, found.form.id);
          if (form === undefined) throw formNotFound();
          requireNextVersion(form, request.body?.keyVersion);
          await requireVersionLeft(transaction, form, principalOf(request), clock.now());
          if (made.hybrid !== undefined) checkSealedLimit(form.settings, true, errors);
          // A second version of one key would look like a rotation, and protect nothing.
          const hadBefore = "This form has had this key before: make a new pair";
          if (await forms.hasKey(transaction, form.id, made.fingerprint)) errors.publicKey = hadBefore;
          if (made.hybrid && (await forms.hasHybridKey(transaction, form.id, made.hybrid.fingerprint)))
            errors.hybridPublicKey = hadBefore;
          refuseInvalid(errors, "Invalid request");
          const wasHybrid = await forms.isHybrid(transaction, form.id, form.keyVersion);
          const rotatedAt = clock.now();
          const next = { ...form, keyVersion: form.keyVersion + 1, updatedAt: rotatedAt };
          await forms.addKey(transaction, form.id, { ...made, version: next.keyVersion, createdAt: rotatedAt });
          await forms.save(transaction, next);
          await storeEnvelope(transaction, request, next, envelope);
          await continueKeyLog(transaction, logged, next, { made, by: principalOf(request) });
          const closing = request.body?.closeKeyVersions;
          if (closing !== undefined) requireOlder(next, closing, "closeKeyVersions.below");
          const versions = { keyVersion: next.keyVersion, previousKeyVersion: form.keyVersion };
          await recordEvents(transaction, [
            {
              kind: "form.keys_rotated",
              formId: form.id,
              formName: form.name,
              occurredAt: rotatedAt,
              content: { keys: { ...versions, ...publicHalves(keys), rotatedAt } },
            },
          ]);
          await recordAction(transaction, {
            ...byPrincipal(principalOf(request)),
            action: "form.keys_rotated",
            occurredAt: rotatedAt,
            target: { type: "form", id: form.id, name: form.name },
            details: { changes: listKeyChanges(form.keyVersion, wasHybrid, made.hybrid !== undefined) },
          });
          const { keyVersion } = versions;
          await sendSecurityMail(transaction, {
            ...{ accountId, event: "keys_rotated", occurredAt: rotatedAt, formId: form.id, keyVersion },
            by: byPrincipal(principalOf(request)).actor,
          });
          if (closing !== undefined)
            await closeKeys(transaction, forms, { form: next, closing, by: principalOf(request), now: rotatedAt });
          return { ...versions, rotatedAt };
        });
        publicForms.forget(request.params.form_id);
        wakeDeliveries();
        return { form: { id: found.form.id, ...keys, ...rotated } };
      },
    });
  };

  /** The next revision of an envelope, where the request has one. */
  async function readNextEnvelope(request: RotateRequest): Promise<NextEnvelope | undefined> {
    const text = request.body?.envelope;
    if (text === undefined) {
      requireOrdinarySize(request);
      return undefined;
    }
    const seen = readSeen(request);
    const file = await readEnvelope(text);
    await requireRecoveryKey(accountOf(request), personOf(request));
    return { file, seen };
  }

  /** In the transaction of the rotation: a form's log never lacks a key. */
  async function continueKeyLog(
    transaction: DatabaseTransaction,
    logged: Pick<EntryToWrite, "entry" | "listed"> | undefined,
    form: Form,
    { made, by }: { readonly made: Pick<FormKey, "fingerprint" | "hybrid">; readonly by: Principal },
  ): Promise<void> {
    if (logged !== undefined) {
      const key = { ...made, version: form.keyVersion };
      await writeKeyLogEntry(transaction, keyLogs, form, { ...logged, key, by, now: form.updatedAt });
    } else if ((await keyLogs.findLast(form.id, transaction)) !== undefined)
      throw new Problem(
        "conflict",
        "This form has a key log: send keyLogEntry too, signed by one of those whom its newest entry names. Where none of them is left, an owner gives the log up.",
      );
  }

  /** In the transaction of the rotation: there is no version whose key the readers of the form's envelope do not get. */
  async function storeEnvelope(
    transaction: DatabaseTransaction,
    request: RotateRequest,
    form: Form,
    envelope: NextEnvelope | undefined,
  ): Promise<void> {
    const newest = (await envelopes.list(form.id, transaction)).at(-1);
    const principal = principalOf(request);
    if (envelope === undefined) {
      if (newest === undefined) return;
      if (request.body?.withoutEnvelope !== true)
        throw new Problem(
          "conflict",
          "This form has an envelope: send keyVersion, envelope and If-Match too, so that its readers get the new key. An owner can rotate without, by withoutEnvelope: true.",
        );
      if (principal.role !== "owner") throw roleInsufficient();
      return;
    }
    const lowestVersion = firstVersionOf(form.keyVersion);
    const next = { ...envelope, lowestVersion, isOfRotation: true, by: principal } as const;
    const written = await writeEnvelope(transaction, envelopes, form, next, form.updatedAt);
    await recordAction(transaction, describeWritten(principal, form, written));
  }
}

type RotateRequest = FastifyRequest & { readonly body: RotateKeys | null };

interface NextEnvelope {
  readonly file: Uint8Array;
  /** The newest revision that its writer has seen of the envelope in which the new version has its place, or of the last one; none: it is the first. */
  readonly seen: Seen;
}

/** An envelope has the private half of a key that its maker brings, and names the version of it. */
function checkEnvelopeParts(
  { envelope, publicKey, keyVersion, withoutEnvelope }: RotateKeys,
  errors: FormErrors,
): void {
  if (envelope === undefined) return;
  if (publicKey === undefined) errors.publicKey ??= "Must be there with an envelope, which has its private key";
  if (keyVersion === undefined) errors.keyVersion = "Must be there with an envelope: the version that this makes";
  if (withoutEnvelope === true) errors.withoutEnvelope = "Must be left out with an envelope";
}

/** The version of the key is inside an envelope's seal, so it can't become another one when two rotate at once. */
function requireNextVersion({ keyVersion }: Form, wanted: number | undefined): void {
  if (wanted !== undefined && wanted !== keyVersion + 1)
    throw new Problem(
      "conflict",
      `The next key version of this form is ${keyVersion + 1}: its keys were rotated meanwhile, or not yet`,
    );
}

function publicHalves({ publicKey, hybridPublicKey }: MadeKeys) {
  return { publicKey, ...(hybridPublicKey && { hybridPublicKey }) };
}

/** Tells too whether the form's newest version has a hybrid key, where that changes: so a version without one is seen. */
function listKeyChanges(version: number, wasHybrid: boolean, isHybrid: boolean): AuditChange[] {
  const keyVersion = { setting: "keyVersion", from: version, to: version + 1 };
  return wasHybrid === isHybrid ? [keyVersion] : [keyVersion, { setting: "hybrid", from: wasHybrid, to: isHybrid }];
}
