import { type AccountId, type FormId, isId, type PublicKey } from "@sealpost/wire";
import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { isUniqueViolation } from "../database/errors.ts";
import type { FormKeyTable, FormTable } from "../database/form-tables.ts";
import { isOneOf } from "../database/insert-rows.ts";
import { lockForm } from "../database/lock.ts";
import type { Tables } from "../database/schema.ts";
import { type Form, type FormKey, formsMax, type HybridFormKey, type KeyProof, toNameKey } from "./form.ts";
import { type FormHold, parseHold } from "./form-hold.ts";
import { createFormKeyStore, type FormKeyStore, parseHybrid, toKeyRow, toPublicKey } from "./form-key-store.ts";
import { createRemoveForm, type FormRemoval } from "./form-removal-store.ts";
import { parseSettingColumns, toSettingColumns } from "./setting-columns.ts";

export interface FormListItem {
  readonly form: Form;
  readonly submissionCount: number;
  /** All that ever came; deleting takes nothing from it. */
  readonly receivedCount: number;
  /** Whether the newest key is proved. */
  readonly keyProof: KeyProof;
  /** The newest key, to which submissions are sealed now. */
  readonly publicKey: PublicKey;
  /** The legal hold that keeps all of it, where there is one. */
  readonly hold: FormHold | undefined;
  /** Since when an organization that had the form before knows its webhook's secret. */
  readonly secretKnownSince: number | undefined;
}

export interface PublicForm {
  readonly form: Form;
  readonly publicKey: PublicKey;
  /** RFC 7638 thumbprint of the newest key. */
  readonly fingerprint: string;
  /** The hybrid key of the newest version, where it has one. */
  readonly hybrid: HybridFormKey | undefined;
}

/** Where a page of forms ended: newest first by creation, then id. */
export interface FormCursor {
  readonly createdAt: number;
  readonly id: string;
}

/** A form of a list, with when the newest of its stored submissions came. */
export interface ListedForm extends FormListItem {
  readonly lastReceivedAt: number | undefined;
}

export interface FormStore extends FormKeyStore, FormRemoval {
  /**
   * Writes the form with its first key. `name_taken` when the account has a form of this name already, also in a race. After
   * `too_many` (`formsMax`) the transaction must be given up.
   */
  create(transaction: DatabaseTransaction, form: Form, key: FormKey): Promise<"created" | "name_taken" | "too_many">;
  find(accountId: AccountId, formId: string): Promise<FormListItem | undefined>;
  /** The form for any caller, with its newest key: for the public endpoints. */
  findPublic(formId: string): Promise<PublicForm | undefined>;
  /** The forms of the account, or only its `named` ones. */
  list(
    accountId: AccountId,
    limit: number,
    after: FormCursor | undefined,
    named?: readonly FormId[] | undefined,
  ): Promise<ListedForm[]>;
  count(accountId: AccountId, named?: readonly FormId[] | undefined): Promise<number>;
  /** The form as the transaction sees it: what is decided on it holds until the commit. */
  load(transaction: DatabaseTransaction, accountId: AccountId, formId: FormId): Promise<Form | undefined>;
  /** Writes name, settings but for those of the webhook, key version and `updatedAt`. After `name_taken` the transaction must be given up. */
  save(transaction: DatabaseTransaction, form: Form): Promise<"saved" | "name_taken">;
}

export function createFormStore(database: Database): FormStore {
  const forms = () =>
    database
      .selectFrom("form")
      .innerJoin("form_count", "form_count.form_id", "form.id")
      .innerJoin("form_key", (join) =>
        join.onRef("form_key.form_id", "=", "form.id").onRef("form_key.version", "=", "form.key_version"),
      )
      .leftJoin("webhook", "webhook.form_id", "form.id")
      .selectAll("form")
      .select(["form_count.stored", "form_count.received", "form_count.hold", "webhook.url", "webhook.redirects"])
      .select(["webhook.secret_known_since", "form_key.modulus", "form_key.fingerprint", "form_key.proved_at"]);

  /** The end of an index for each form. */
  const lastReceived = ({ selectFrom }: ExpressionBuilder<Pick<Tables, "form_count" | "submission">, "form_count">) =>
    selectFrom("submission")
      .select(({ fn }) => fn.max("submission.received_at").as("newest"))
      .whereRef("submission.form_id", "=", "form_count.form_id")
      .whereRef("submission.received_at", ">=", "form_count.visible_from")
      .as("last_received_at");

  async function findLastReceived(formIds: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
    if (formIds.length === 0) return new Map();
    const rows = await database
      .selectFrom("form_count")
      .select(["form_count.form_id", lastReceived])
      .where("form_count.form_id", "in", formIds)
      .execute();
    return new Map(rows.map((row) => [row.form_id, row.last_received_at]));
  }

  async function countNamed(accountId: AccountId, named: readonly FormId[]): Promise<number> {
    if (named.length === 0) return 0;
    const { count } = await database
      .selectFrom("form")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("account_id", "=", accountId)
      .where(isOneOf(database, "id", named))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  return {
    ...createFormKeyStore(database),
    async create(transaction, form, key) {
      const created = await transaction
        .insertInto("form")
        .values({ id: form.id, account_id: form.accountId, created_at: form.createdAt, ...toColumns(form) })
        // Not a caught error, which would end the transaction on PostgreSQL.
        .onConflict((conflict) => conflict.columns(["account_id", "name_key"]).doNothing())
        .returning("id")
        .executeTakeFirst();
      if (created === undefined) return "name_taken";
      const { forms: count } = await transaction
        .insertInto("account_count")
        .values({ account_id: form.accountId, forms: 1 })
        .onConflict((conflict) => conflict.column("account_id").doUpdateSet({ forms: sql`account_count.forms + 1` }))
        .returning("forms")
        .executeTakeFirstOrThrow();
      if (count > formsMax) return "too_many";
      await transaction.insertInto("form_key").values(toKeyRow(form.id, key)).execute();
      await transaction.insertInto("form_count").values({ form_id: form.id, stored: 0, received: 0 }).execute();
      return "created";
    },
    async find(accountId, formId) {
      // Another kind of text is nobody's form, and may be one that the database refuses (NUL).
      if (!isId("form", formId)) return undefined;
      const row = await forms()
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      return row && parseListItem(row);
    },
    async findPublic(formId) {
      if (!isId("form", formId)) return undefined;
      const row = await forms()
        .select(["form_key.hybrid_public_key", "form_key.hybrid_fingerprint"])
        .where("form.id", "=", formId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { modulus, fingerprint } = row;
      return { form: parseForm(row), publicKey: toPublicKey(modulus), fingerprint, hybrid: parseHybrid(row) };
    },
    async list(accountId, limit, after, named) {
      if (named?.length === 0) return [];
      let query = forms().where("form.account_id", "=", accountId);
      if (named !== undefined) query = query.where(isOneOf(database, "form.id", named));
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("form.created_at", "form.id"), "<", tuple(after.createdAt, after.id)),
        );
      }
      const page = query.orderBy("form.created_at", "desc").orderBy("form.id", "desc").limit(limit);
      if (!isDistributed(database)) return (await page.select(lastReceived).execute()).map(parseListedForm);
      // The forms are on one server there, and the submissions on others.
      const rows = await page.execute();
      const newest = await findLastReceived(rows.map(({ id }) => id));
      return rows.map((row) => parseListedForm({ ...row, last_received_at: newest.get(row.id) ?? null }));
    },
    async count(accountId, named) {
      if (named !== undefined) return countNamed(accountId, named);
      const row = await database
        .selectFrom("account_count")
        .select("forms")
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      return row?.forms ?? 0;
    },
    async load(transaction, accountId, formId) {
      await lockForm(transaction, formId, "change");
      const row = await transaction
        .selectFrom("form")
        .leftJoin("webhook", "webhook.form_id", "form.id")
        .selectAll("form")
        .select(["webhook.url", "webhook.redirects"])
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      return row && parseForm(row);
    },
    async save(transaction, form) {
      try {
        await transaction.updateTable("form").set(toColumns(form)).where("id", "=", form.id).execute();
        return "saved";
      } catch (error) {
        if (isUniqueViolation(error)) return "name_taken";
        throw error;
      }
    },
    remove: createRemoveForm(database),
  };
}

function toColumns(form: Form) {
  return {
    name: form.name,
    name_key: toNameKey(form.name),
    ...toSettingColumns(form.settings),
    key_version: form.keyVersion,
    updated_at: form.updatedAt,
  };
}

type FormItemRow = FormRow &
  Pick<FormKeyTable, "modulus" | "proved_at"> & {
    readonly stored: number;
    readonly received: number;
    readonly hold: string | null;
    readonly secret_known_since: number | null;
  };

function parseListItem(row: FormItemRow): FormListItem {
  return {
    form: parseForm(row),
    submissionCount: row.stored,
    receivedCount: row.received,
    keyProof: row.proved_at === null ? "unproved" : "proved",
    publicKey: toPublicKey(row.modulus),
    hold: parseHold(row.hold),
    secretKnownSince: row.secret_known_since ?? undefined,
  };
}

function parseListedForm(row: FormItemRow & { readonly last_received_at: number | null }): ListedForm {
  return { ...parseListItem(row), lastReceivedAt: row.last_received_at ?? undefined };
}

type FormRow = Selectable<FormTable> & { readonly url: string | null; readonly redirects: "post" | "get" | null };

function parseForm(row: FormRow): Form {
  return {
    id: row.id as FormId, // written from a FormId
    accountId: row.account_id as AccountId, // written from an AccountId
    name: row.name,
    settings: { ...parseSettingColumns(row), webhookUrl: row.url, webhookRedirects: row.redirects ?? "post" },
    keyVersion: row.key_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
