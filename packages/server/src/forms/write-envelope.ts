import { createHash } from "node:crypto";
import { checkEnvelopeForm } from "@sealpost/envelope/form";
import { type AccountId, decodeBase64Url } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import { isOwnerWithSession } from "../access/owner-session.ts";
import type { Principal } from "../access/principal.ts";
import { byPrincipal, type NewAuditEntry } from "../audit-log/audit-entry.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { requireSeen, type Seen, toTag } from "../http/preconditions.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { dayMilliseconds } from "../time/clock.ts";
import {
  type EnvelopeRevision,
  envelopesForOwners,
  envelopesMax,
  envelopeTextLengthMax,
  heldRevisionsForOwners,
  heldRevisionsMax,
  revisionsPerDay,
} from "./envelope.ts";
import type { EnvelopeStore } from "./envelope-store.ts";
import type { Form } from "./form.ts";

/** Throws a 409 where the organization wants a recovery key, and its signed list of members has none. */
export type RequireRecoveryKey = (organizationId: AccountId, personId: AccountId) => Promise<void>;

/** The bytes of a request without an envelope. */
const otherBodyBytesMax = 65_536;
/** An envelope, and what else is in a request that has one. */
export const envelopeBodyBytesMax = envelopeTextLengthMax + otherBodyBytesMax;

/** A request that may have an envelope, and has none, may be no larger than others. */
export function requireOrdinarySize({ bodyBytes }: FastifyRequest): void {
  if (bodyBytes > otherBodyBytesMax) throw new Problem("payload_too_large", "The request body is too large");
}

/** The bytes of an envelope. Throws a 400 where it is not one by its outer form: the service can't look inside. */
export async function readEnvelope(text: string): Promise<Uint8Array> {
  const file = decodeBase64Url(text) ?? new Uint8Array();
  const readers = await checkEnvelopeForm(file);
  refuseInvalid({
    envelope:
      typeof readers === "number"
        ? undefined
        : "Must be an envelope: an age file for 1 to 64 readers, in base64url without padding",
  });
  return file;
}

export interface EnvelopeToWrite {
  readonly lowestVersion: number;
  readonly file: Uint8Array;
  /** The revision that its writer has seen. */
  readonly seen: Seen;
  /** A rotation writes it: where it begins an envelope, its writer has seen the newest revision of the form's last one below, whose readers it gets. */
  readonly isOfRotation?: true;
  readonly by: Principal;
}

/** Stores the next revision of an envelope of a form, which the transaction has locked. Throws where another one came between. */
export async function writeEnvelope(
  transaction: DatabaseTransaction,
  envelopes: EnvelopeStore,
  form: Form,
  { lowestVersion, file, seen, isOfRotation, by }: EnvelopeToWrite,
  createdAt: number,
): Promise<EnvelopeRevision> {
  const all = await envelopes.list(form.id, transaction);
  const before = all.find((one) => one.lowestVersion === lowestVersion);
  const followed = before ?? (isOfRotation ? all.findLast((one) => one.lowestVersion < lowestVersion) : undefined);
  requireSeen(seen, followed && tagOf(followed));
  const isOwner = isOwnerWithSession(by);
  const writerId = writerOf(by);
  if (before === undefined && all.length >= envelopesMax - (isOwner ? 0 : envelopesForOwners))
    throw new Problem(
      "conflict",
      `A form has at most ${envelopesMax} envelopes, the last ${envelopesForOwners} for owners`,
    );
  const heldMax = heldRevisionsMax - (isOwner ? 0 : heldRevisionsForOwners);
  if (await envelopes.holdsRevisions(transaction, form.id, lowestVersion, heldMax))
    throw new Problem(
      "conflict",
      `A form under legal hold keeps at most ${heldRevisionsMax} revisions of an envelope, the last ${heldRevisionsForOwners} for owners`,
    );
  if (!isOwner) await requireSeldom(transaction, envelopes, form, { lowestVersion, writerId }, createdAt);
  const hash = hashOf(file);
  const written = { lowestVersion, revision: (before?.revision ?? 0) + 1, hash, bytes: file.length, createdAt };
  await envelopes.add(transaction, form.id, { ...written, file, writerId });
  return written;
}

/** The person who writes, by a session or by an API key of theirs. */
export function writerOf(by: Principal): AccountId {
  return by.kind === "session" ? by.personId : by.madeBy;
}

async function requireSeldom(
  transaction: DatabaseTransaction,
  envelopes: EnvelopeStore,
  form: Form,
  of: { readonly lowestVersion: number; readonly writerId: AccountId },
  now: number,
): Promise<void> {
  const first = await envelopes.findFromEnd(transaction, form.id, of, revisionsPerDay, now);
  if (first === undefined) return;
  throw new Problem(
    "rate_limited",
    `A person who is no owner with a session stores at most ${revisionsPerDay} revisions of an envelope within a day`,
    { retryAfter: Math.max(1, Math.ceil((first + dayMilliseconds - now) / 1000)) },
  );
}

/**
 * The newest revision, where it has these bytes and its writer has not seen it: they sent them before, and the answer was lost (RFC 9110 section
 * 13.1.1). Each writing is sealed afresh, so nobody else's has the same bytes.
 */
export async function findWritten(
  transaction: DatabaseTransaction,
  envelopes: Pick<EnvelopeStore, "list">,
  form: Form,
  { lowestVersion, file, seen }: EnvelopeToWrite,
): Promise<EnvelopeRevision | undefined> {
  const newest = (await envelopes.list(form.id, transaction)).find((one) => one.lowestVersion === lowestVersion);
  const isTheirs = newest?.hash === hashOf(file) && seen.tag !== tagOf(newest);
  return isTheirs ? newest : undefined;
}

function hashOf(file: Uint8Array): string {
  return createHash("sha256").update(file).digest("base64url");
}

/** The tag of a revision, by its number and the hash of its bytes. */
export function tagOf({ revision, hash }: Pick<EnvelopeRevision, "revision" | "hash">): string {
  return toTag({ number: revision, hash });
}

/** The audit entry of a revision that was stored. */
export function describeWritten(principal: Principal, form: Form, written: EnvelopeRevision): NewAuditEntry {
  const { lowestVersion, revision, createdAt } = written;
  return {
    ...byPrincipal(principal),
    action: "envelope.written",
    occurredAt: createdAt,
    target: { type: "form", id: form.id, name: form.name },
    details: {
      changes: [
        { setting: "envelope", from: null, to: lowestVersion },
        { setting: "envelopeRevision", from: revision - 1, to: revision },
      ],
    },
  };
}
