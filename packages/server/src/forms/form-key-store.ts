import type { FormId, PublicKey } from "@sealpost/wire";
import { type Selectable, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { FormKeyTable } from "../database/form-tables.ts";
import type { FormKey, HybridFormKey } from "./form.ts";
import type { KeyClosing } from "./key-closing.ts";

/** The versions of forms' public keys. */
export interface FormKeyStore {
  findKey(formId: FormId, version: number): Promise<FormKey | undefined>;
  /** All key versions, newest first. */
  listKeys(formId: FormId): Promise<FormKey[]>;
  addKey(transaction: DatabaseTransaction, formId: FormId, key: FormKey): Promise<void>;
  /** Notes that somebody said that the version's private key opened something: the first time is kept. `undefined` without such a version. */
  proveKey(formId: FormId, version: number, now: number): Promise<FormKey | undefined>;
  /**
   * Whether the form has submissions that are not sealed, or deliveries of submissions on their way whose content is not in a
   * row any more.
   */
  mayHoldPlain(transaction: DatabaseTransaction, formId: FormId): Promise<boolean>;
  /** Whether any version of the form has this RSA key. */
  hasKey(transaction: DatabaseTransaction, formId: FormId, fingerprint: string): Promise<boolean>;
  /** Whether this version has a hybrid key. */
  isHybrid(transaction: DatabaseTransaction, formId: FormId, version: number): Promise<boolean>;
  /**
   * Lets the versions below `below` take nothing more from `at` on, or again without end (`null`). One that takes nothing any more at
   * `now` keeps its end, but for `null`.
   */
  closeKeys(transaction: DatabaseTransaction, formId: FormId, closing: KeyClosing, now: number): Promise<void>;
  /** Whether an earlier version than `version` has one of these fingerprints, of either kind of key. */
  isFormer(formId: FormId, version: number, fingerprints: readonly string[]): Promise<boolean>;
  /** Whether any version of the form has this hybrid key. */
  hasHybridKey(transaction: DatabaseTransaction, formId: FormId, fingerprint: string): Promise<boolean>;
}

export function createFormKeyStore(database: Database): FormKeyStore {
  return {
    findKey,
    async listKeys(formId) {
      const rows = await database
        .selectFrom("form_key")
        .selectAll()
        .where("form_id", "=", formId)
        .orderBy("version", "desc")
        .execute();
      return rows.map(parseKey);
    },
    async addKey(transaction, formId, key) {
      await transaction.insertInto("form_key").values(toKeyRow(formId, key)).execute();
    },
    async proveKey(formId, version, now) {
      await database
        .transaction()
        .execute((transaction) =>
          transaction
            .updateTable("form_key")
            .set({ proved_at: now })
            .where("form_id", "=", formId)
            .where("version", "=", version)
            .where("proved_at", "is", null)
            .execute(),
        );
      return findKey(formId, version);
    },
    async isHybrid(transaction, formId, version) {
      const row = await transaction
        .selectFrom("form_key")
        .select("hybrid_fingerprint")
        .where("form_id", "=", formId)
        .where("version", "=", version)
        .executeTakeFirst();
      return row !== undefined && row.hybrid_fingerprint !== null;
    },
    mayHoldPlain,
    async closeKeys(transaction, formId, { below, at }, now) {
      await transaction
        .updateTable("form_key")
        .set({ closes_at: at })
        .where("form_id", "=", formId)
        .where("version", "<", below)
        .$if(at !== null, (query) =>
          query.where((is) => is.or([is("closes_at", "is", null), is("closes_at", ">", now)])),
        )
        .execute();
    },
    async isFormer(formId, version, fingerprints) {
      const row = await database
        .selectFrom("form_key")
        .select("version")
        .where("form_id", "=", formId)
        .where("version", "<", version)
        .where((is) => is.or([is("fingerprint", "in", fingerprints), is("hybrid_fingerprint", "in", fingerprints)]))
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    hasKey: (transaction, formId, fingerprint) => has(transaction, formId, "fingerprint", fingerprint),
    hasHybridKey: (transaction, formId, fingerprint) => has(transaction, formId, "hybrid_fingerprint", fingerprint),
  };

  async function has(
    transaction: DatabaseTransaction,
    formId: FormId,
    column: "fingerprint" | "hybrid_fingerprint",
    fingerprint: string,
  ): Promise<boolean> {
    const row = await transaction
      .selectFrom("form_key")
      .select("version")
      .where("form_id", "=", formId)
      .where(column, "=", fingerprint)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async function findKey(formId: FormId, version: number): Promise<FormKey | undefined> {
    const row = await database
      .selectFrom("form_key")
      .selectAll()
      .where("form_id", "=", formId)
      .where("version", "=", version)
      .executeTakeFirst();
    return row && parseKey(row);
  }
}

/** As in the store. For who has a transaction and no store. */
export async function mayHoldPlain(transaction: Database | DatabaseTransaction, formId: FormId): Promise<boolean> {
  for (const table of ["submission", "submission_bin"] as const) {
    const plain = await transaction
      .selectFrom(table)
      .select("id")
      .where("form_id", "=", formId)
      // As the index has it: a parameter could be another version.
      .where("version", "=", sql.lit("plain1"))
      .limit(1)
      .executeTakeFirst();
    if (plain !== undefined) return true;
  }
  const kept = await transaction
    .selectFrom("event")
    .select("id")
    .where("form_id", "=", formId)
    .where("kind", "=", sql.lit("submission.created"))
    .where("body", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return kept !== undefined;
}

export function toKeyRow(formId: FormId, key: FormKey) {
  const { version, publicKey, fingerprint, hybrid, createdAt, madeBy, provedAt } = key;
  return {
    form_id: formId,
    version,
    modulus: publicKey.n,
    fingerprint,
    created_at: createdAt,
    made_by: madeBy,
    proved_at: provedAt ?? null,
    hybrid_public_key: hybrid?.publicKey.pub ?? null,
    hybrid_fingerprint: hybrid?.fingerprint ?? null,
  };
}

type KeyRow = Selectable<FormKeyTable>;

/** The two columns are written together. */
export function parseHybrid({
  hybrid_public_key: pub,
  hybrid_fingerprint: fingerprint,
}: Pick<KeyRow, "hybrid_public_key" | "hybrid_fingerprint">): HybridFormKey | undefined {
  if (pub === null || fingerprint === null) return undefined;
  return { publicKey: { kty: "AKP", alg: "MLKEM768-X25519", pub }, fingerprint };
}

function parseKey(row: KeyRow): FormKey {
  return {
    version: row.version,
    publicKey: toPublicKey(row.modulus),
    fingerprint: row.fingerprint,
    hybrid: parseHybrid(row),
    createdAt: row.created_at,
    madeBy: row.made_by,
    provedAt: row.proved_at ?? undefined,
    closesAt: row.closes_at ?? undefined,
  };
}

/** Only e = 65537 is ever accepted, so it is not stored. */
export function toPublicKey(modulus: string): PublicKey {
  return { kty: "RSA", n: modulus, e: "AQAB" };
}
