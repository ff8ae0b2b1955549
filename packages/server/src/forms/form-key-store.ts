import type { FormId, PublicKey } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { FormKeyTable } from "../database/form-tables.ts";
import type { FormKey } from "./form.ts";

/** The versions of forms' public keys. */
export interface FormKeyStore {
  findKey(formId: FormId, version: number): Promise<FormKey | undefined>;
  /** All key versions, newest first. */
  listKeys(formId: FormId): Promise<FormKey[]>;
  addKey(transaction: DatabaseTransaction, formId: FormId, key: FormKey): Promise<void>;
  /** Notes that somebody said that the version's private key opened something: the first time is kept. `undefined` without such a version. */
  proveKey(formId: FormId, version: number, now: number): Promise<FormKey | undefined>;
  /** Whether any version of the form's keys has this fingerprint. */
  hasKey(transaction: DatabaseTransaction, formId: FormId, fingerprint: string): Promise<boolean>;
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
        .updateTable("form_key")
        .set({ proved_at: now })
        .where("form_id", "=", formId)
        .where("version", "=", version)
        .where("proved_at", "is", null)
        .execute();
      return findKey(formId, version);
    },
    async hasKey(transaction, formId, fingerprint) {
      const row = await transaction
        .selectFrom("form_key")
        .select("version")
        .where("form_id", "=", formId)
        .where("fingerprint", "=", fingerprint)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
  };

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

export function toKeyRow(formId: FormId, { version, publicKey, fingerprint, createdAt, madeBy, provedAt }: FormKey) {
  return {
    form_id: formId,
    version,
    modulus: publicKey.n,
    fingerprint,
    created_at: createdAt,
    made_by: madeBy ?? null,
    proved_at: provedAt ?? null,
  };
}

function parseKey(row: FormKeyTable): FormKey {
  return {
    version: row.version,
    publicKey: toPublicKey(row.modulus),
    fingerprint: row.fingerprint,
    createdAt: row.created_at,
    ...parseProof(row),
  };
}

export function parseProof({ made_by: madeBy, proved_at: provedAt }: Pick<FormKeyTable, "made_by" | "proved_at">) {
  return { madeBy: madeBy ?? undefined, provedAt: provedAt ?? undefined };
}

/** Only e = 65537 is ever accepted, so it is not stored. */
export function toPublicKey(modulus: string): PublicKey {
  return { kty: "RSA", n: modulus, e: "AQAB" };
}
