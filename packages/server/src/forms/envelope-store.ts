import type { FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { type EnvelopeRevision, findDropped } from "./envelope.ts";
import { findHold, isNotHeld } from "./form-hold-store.ts";

/** A revision with its bytes. */
export interface EnvelopeFile extends EnvelopeRevision {
  readonly file: Uint8Array;
}

/** The envelopes of forms (SPECIFICATION.md section 15), as bytes. Writers have locked the form (`FormStore.load`). */
export interface EnvelopeStore {
  /** The newest revision of each envelope in use, by ascending version. */
  list(formId: FormId, transaction?: DatabaseTransaction): Promise<readonly EnvelopeRevision[]>;
  /** A revision, or the newest. */
  find(formId: FormId, lowestVersion: number, revision?: number): Promise<EnvelopeFile | undefined>;
  /** How many revisions of an envelope in use are stored. */
  countRevisions(transaction: DatabaseTransaction, formId: FormId, lowestVersion: number): Promise<number>;
  /** Adds a revision, and drops those that need not stay. */
  add(transaction: DatabaseTransaction, formId: FormId, envelope: EnvelopeFile): Promise<void>;
}

export function createEnvelopeStore(database: Database): EnvelopeStore {
  return {
    async list(formId, transaction) {
      const rows = await revisionsOf(transaction ?? database, formId)
        .orderBy("lowest_version")
        .orderBy("revision")
        .execute();
      return [...new Map(rows.map((row) => [row.lowest_version, toRevision(row)])).values()];
    },
    async find(formId, lowestVersion, revision) {
      let query = revisionsOf(database, formId).select("file").where("lowest_version", "=", lowestVersion);
      if (revision !== undefined) query = query.where("revision", "=", revision);
      const row = await query.orderBy("revision", "desc").limit(1).executeTakeFirst();
      return row && { ...toRevision(row), file: row.file };
    },
    async countRevisions(transaction, formId, lowestVersion) {
      const { count } = await transaction
        .selectFrom("envelope")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("form_id", "=", formId)
        .where("lowest_version", "=", lowestVersion)
        .where("removed_at", "=", 0)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async add(transaction, formId, { lowestVersion, revision, hash, bytes, createdAt, file }) {
      await transaction
        .insertInto("envelope")
        .values({
          form_id: formId,
          lowest_version: lowestVersion,
          revision,
          hash,
          bytes,
          file,
          created_at: createdAt,
        })
        .execute();
      await dropOld(transaction, formId, lowestVersion, createdAt);
    },
  };
}

/** A legal hold keeps all of them: who writes garbage for a month must not have deleted the keys to what is held. */
async function dropOld(
  transaction: DatabaseTransaction,
  formId: FormId,
  lowestVersion: number,
  now: number,
): Promise<void> {
  if ((await findHold(transaction, formId)) !== undefined) return;
  const rows = await revisionsOf(transaction, formId).where("lowest_version", "=", lowestVersion).execute();
  const dropped = findDropped(rows.map(toRevision), now);
  if (dropped.length === 0) return;
  await transaction
    .deleteFrom("envelope")
    .where("form_id", "=", formId)
    .where("lowest_version", "=", lowestVersion)
    .where("removed_at", "=", 0)
    .where("revision", "in", dropped)
    .where(isNotHeld(formId))
    .execute();
}

/** Those in use. */
function revisionsOf(target: Database | DatabaseTransaction, formId: FormId) {
  return target
    .selectFrom("envelope")
    .select(["lowest_version", "revision", "hash", "bytes", "created_at"])
    .where("form_id", "=", formId)
    .where("removed_at", "=", 0);
}

interface RevisionRow {
  readonly lowest_version: number;
  readonly revision: number;
  readonly hash: string;
  readonly bytes: number;
  readonly created_at: number;
}

function toRevision({ lowest_version: lowestVersion, created_at: createdAt, ...row }: RevisionRow): EnvelopeRevision {
  const { revision, hash, bytes } = row;
  return { lowestVersion, revision, hash, bytes, createdAt };
}
