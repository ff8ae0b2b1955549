import type { AccountId, FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRow } from "../database/lock.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { destinationOf } from "./destination.ts";
import {
  listValidSecrets,
  previousSecretMilliseconds,
  secretsMax,
  toEarlierColumn,
  toKnown,
  toOnlyColumns,
  toRotatedColumns,
  withRoom,
} from "./webhook-secrets.ts";

export interface WebhookSecrets {
  readonly current: string;
  /** When each of the earlier secrets ends, the newest first. */
  readonly earlierExpireAt: readonly number[];
  readonly form: { readonly id: FormId; readonly name: string };
}

/** A form and the organization that has it. */
export interface OwnedForm {
  readonly id: FormId;
  readonly accountId: AccountId;
}

/** Where events go, null for nowhere; and who chose it. */
export interface ChosenAddress {
  readonly url: string | null;
  readonly setBy: AccountId;
  readonly isByDeveloper?: boolean;
}

export type RotationOutcome =
  | { readonly outcome: "rotated"; readonly form: WebhookSecrets["form"]; readonly earlierExpireAt: readonly number[] }
  /** The account has none such. */
  | { readonly outcome: "not_found" }
  /** As many as may be are valid; the first of them ends then. */
  | { readonly outcome: "too_many"; readonly endsAt: number };

export interface SecretRotation {
  readonly secret: string;
  readonly now: number;
  readonly previousExpiresAt: number | undefined;
}

/** A form's webhook in another organization. */
export interface WebhookHandOver {
  /** The present address, which somebody there has seen; null: from now on there is none. */
  readonly url: string | null;
  /** The next secret; `undefined`: the one that is known to the organization before stays. */
  readonly secret: string | undefined;
  readonly now: number;
  readonly by: AccountId;
}

/** Where a form's events go and how they are signed. Secrets are kept encrypted, bound to their form. */
export interface WebhookStore {
  create(transaction: DatabaseTransaction, form: OwnedForm, secret: string, address: ChosenAddress): Promise<void>;
  /** How a 302 or 303 of the receiver is followed. */
  setRedirects(transaction: DatabaseTransaction, formId: FormId, redirects: "post" | "get"): Promise<void>;
  /** Where the form's events go from now on; null for nowhere, and the purge brings what is queued to its end. */
  setUrl(transaction: DatabaseTransaction, form: OwnedForm, address: ChosenAddress): Promise<void>;
  /**
   * The form is another organization's from now on. What is queued follows at its next attempt, and is signed with the secrets before for
   * a day; where as many are valid as may be, the one that ends first gives way.
   */
  handOver(transaction: DatabaseTransaction, form: OwnedForm, handOver: WebhookHandOver): Promise<void>;
  /**
   * After another address was set: the secrets that an organization before knows end, and where the current one is among them it is
   * replaced. Whether it was.
   */
  replaceKnown(transaction: DatabaseTransaction, formId: FormId, secret: string, now: number): Promise<boolean>;
  /** Whether a developer chose the address, and nobody with another role has agreed to it since. */
  isByDeveloper(transaction: DatabaseTransaction, formId: FormId): Promise<boolean>;
  agreeToUrl(transaction: DatabaseTransaction, formId: FormId): Promise<void>;
  /**
   * Makes `secret` the current one. The one before stays valid until `previousExpiresAt`, and each that was valid already
   * until the time that it was promised. Without `previousExpiresAt` all of them end now.
   */
  rotate(
    transaction: DatabaseTransaction,
    accountId: AccountId,
    formId: string,
    rotation: SecretRotation,
  ): Promise<RotationOutcome>;
  /** The secrets that are valid at `now`; `undefined` when the account has no such form. */
  findSecrets(accountId: AccountId, formId: string, now: number): Promise<WebhookSecrets | undefined>;
}

export function createWebhookStore(database: Database, secretBox: SecretBox): WebhookStore {
  const sealer = secretBox.sealer("webhooks");

  async function setUrl(
    transaction: DatabaseTransaction,
    form: OwnedForm,
    { url, setBy, isByDeveloper = false }: ChosenAddress,
  ): Promise<void> {
    await transaction
      .updateTable("webhook")
      .set({
        ...toAddress(url, form),
        ...{ failing_since: null, by_developer: isByDeveloper ? 1 : 0, set_by: url === null ? null : setBy },
        // However many wait, they are ended in the background.
        ends_after: url === null ? "" : null,
      })
      .where("form_id", "=", form.id)
      .execute();
  }

  /** Held, so that two rotations at once follow each other and neither forgets what the other has kept. */
  async function hold(transaction: DatabaseTransaction, formId: FormId, now: number) {
    const webhook = transaction.selectFrom("webhook").selectAll().where("form_id", "=", formId);
    const row = await lockRow(transaction, webhook).executeTakeFirst();
    // It goes with the form.
    return row && { valid: listValidSecrets(row, now), knownSince: row.secret_known_since };
  }

  async function write(
    transaction: DatabaseTransaction,
    formId: FormId,
    columns: Partial<ReturnType<typeof toOnlyColumns>>,
  ): Promise<void> {
    await transaction.updateTable("webhook").set(columns).where("form_id", "=", formId).execute();
  }

  return {
    async create(transaction, form, secret, { url, setBy }) {
      await transaction
        .insertInto("webhook")
        .values({
          form_id: form.id,
          ...toAddress(url, form),
          set_by: url === null ? null : setBy,
          ...toOnlyColumns(sealer.seal(secret, `webhook/${form.id}`)),
        })
        .execute();
    },
    async setRedirects(transaction, formId, redirects) {
      await transaction.updateTable("webhook").set({ redirects }).where("form_id", "=", formId).execute();
    },
    setUrl,
    async handOver(transaction, form, { url, secret, now, by }) {
      // Seen and kept by a member of the organization that has it now: no developer's choice any more.
      await setUrl(transaction, form, { url, setBy: by });
      const held = await hold(transaction, form.id, now);
      if (held === undefined) return;
      const { valid, knownSince } = held;
      if (secret === undefined)
        return write(transaction, form.id, {
          ...toEarlierColumn(valid.map(toKnown)),
          secret_known_since: knownSince ?? now,
        });
      const sealed = sealer.seal(secret, `webhook/${form.id}`);
      const [first, ...others] = withRoom(valid);
      const known = [toKnown(first), ...others.map(toKnown)] as const;
      await write(
        transaction,
        form.id,
        url === null ? toOnlyColumns(sealed) : toRotatedColumns(sealed, known, now + previousSecretMilliseconds),
      );
    },
    async replaceKnown(transaction, formId, secret, now) {
      const { valid = [] } = (await hold(transaction, formId, now)) ?? {};
      if (!valid.some(({ isKnown }) => isKnown)) return false;
      // With the current one all that were valid before it are known.
      const isReplaced = valid.some(({ isKnown, expiresAt }) => isKnown && expiresAt === undefined);
      const columns = isReplaced
        ? toOnlyColumns(sealer.seal(secret, `webhook/${formId}`))
        : toEarlierColumn(valid.filter(({ isKnown }) => !isKnown));
      await write(transaction, formId, columns);
      return isReplaced;
    },
    async isByDeveloper(transaction, formId) {
      const row = await transaction
        .selectFrom("webhook")
        .select("by_developer")
        .where("form_id", "=", formId)
        .executeTakeFirst();
      return row?.by_developer === 1;
    },
    async agreeToUrl(transaction, formId) {
      await transaction.updateTable("webhook").set({ by_developer: 0 }).where("form_id", "=", formId).execute();
    },
    async rotate(transaction, accountId, formId, { secret, now, previousExpiresAt }) {
      const form = await transaction
        .selectFrom("form")
        .select(["id", "name"])
        .where("account_id", "=", accountId)
        .where("id", "=", formId)
        .executeTakeFirst();
      if (form === undefined) return { outcome: "not_found" };
      const held = await hold(transaction, form.id as FormId, now); // only ids are written there
      if (held === undefined) return { outcome: "not_found" };
      const { valid } = held;
      const ends = valid.flatMap(({ expiresAt }) => expiresAt ?? []);
      const sealed = sealer.seal(secret, `webhook/${formId}`);
      if (previousExpiresAt === undefined) {
        await write(transaction, form.id as FormId, toOnlyColumns(sealed));
        return { outcome: "rotated", form: toForm(form), earlierExpireAt: [] };
      }
      if (valid.length >= secretsMax) return { outcome: "too_many", endsAt: Math.min(...ends) };
      await write(transaction, form.id as FormId, toRotatedColumns(sealed, valid, previousExpiresAt));
      return { outcome: "rotated", form: toForm(form), earlierExpireAt: [previousExpiresAt, ...newestFirst(ends)] };
    },
    async findSecrets(accountId, formId, now) {
      const row = await database
        .selectFrom("webhook")
        .innerJoin("form", "form.id", "webhook.form_id")
        .selectAll("webhook")
        .select(["form.id", "form.name"])
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        current: sealer.open(row.secret, `webhook/${formId}`),
        earlierExpireAt: newestFirst(listValidSecrets(row, now).flatMap(({ expiresAt }) => expiresAt ?? [])),
        form: toForm(row),
      };
    },
  };
}

/** Webhook addresses of forms, at most `limit`. */
export async function listStoredAddresses(
  database: Database,
  limit: number,
): Promise<readonly { readonly formId: FormId; readonly url: string }[]> {
  const rows = await database
    .selectFrom("webhook")
    .select(["form_id", "url"])
    .where("url", "is not", null)
    .limit(limit)
    .execute();
  return rows.flatMap(({ form_id, url }) => (url === null ? [] : [{ formId: form_id as FormId, url }])); // only ids are written there
}

/** A form whose webhook address somebody chose. */
export interface ChosenFor {
  readonly id: FormId;
  readonly name: string;
  readonly isSealed: boolean;
}

/** The forms of an organization whose webhook address a person was the last to choose, by name. */
export async function listAddressesSetBy(
  target: Database | DatabaseTransaction,
  organizationId: AccountId,
  personId: AccountId,
): Promise<readonly ChosenFor[]> {
  const rows = await target
    .selectFrom("webhook")
    .innerJoin("form", "form.id", "webhook.form_id")
    .select(["form.id", "form.name", "form.encryption"])
    .where("webhook.set_by", "=", personId)
    .where("webhook.url", "is not", null)
    .where("form.account_id", "=", organizationId)
    .orderBy("form.name")
    .execute();
  return rows.map((row) => ({ ...toForm(row), isSealed: row.encryption === 1 }));
}

function newestFirst(times: readonly number[]): readonly number[] {
  return times.toSorted((one, other) => other - one);
}

function toForm({ id, name }: { readonly id: string; readonly name: string }): WebhookSecrets["form"] {
  return { id: id as FormId, name }; // only ids are written there
}

function toAddress(url: string | null, { accountId }: OwnedForm) {
  return { url, destination: url === null ? null : destinationOf(new URL(url), accountId) };
}
