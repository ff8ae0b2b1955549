import type { Selectable } from "kysely";
import type { WebhookTable } from "../database/delivery-tables.ts";
import { ivPlace } from "../instance/secret-box.ts";

/** Names one of a form's secrets, while it is kept; never its value. */
export type SecretId = string;

/** One of a form's valid secrets, in its stored form. */
export interface StoredSecret {
  readonly id: SecretId;
  readonly sealed: string;
  /** `undefined` for the current one. */
  readonly expiresAt: number | undefined;
  /** The column that holds it, by the name that older versions have for it; `earlier` where they don't know it. */
  readonly place: "current" | "previous" | "earlier";
}

type SecretColumns = Pick<
  Selectable<WebhookTable>,
  "secret" | "previous_secret" | "previous_expires_at" | "sign_first" | "earlier_secrets" | "accepted_secret"
>;

/** How many secrets of a form are valid at once. */
export const secretsMax = 5;

/** A secret is named by the iv of its sealed value, which stays with it wherever it is moved, and when it is sealed again. */
export function secretIdOf(sealed: string): SecretId {
  return sealed.slice(ivPlace.start, ivPlace.start + ivPlace.length);
}

/** The secrets that are valid at `now`: the one that was accepted last, then the newest to the oldest. */
export function listValidSecrets(row: SecretColumns, now: number): readonly [StoredSecret, ...StoredSecret[]] {
  const current: StoredSecret = {
    id: secretIdOf(row.secret),
    sealed: row.secret,
    expiresAt: undefined,
    place: "current",
  };
  const earlier = listEarlier(row)
    .filter(({ expiresAt }) => expiresAt > now)
    .toSorted((one, other) => other.expiresAt - one.expiresAt);
  const accepted =
    earlier.find(({ id }) => id === row.accepted_secret) ??
    (row.accepted_secret !== current.id && row.sign_first === "previous"
      ? earlier.find(({ place }) => place === "previous")
      : undefined);
  return accepted === undefined
    ? [current, ...earlier]
    : [accepted, current, ...earlier.filter((one) => one !== accepted)];
}

type EarlierSecret = StoredSecret & { readonly expiresAt: number };

function listEarlier(row: SecretColumns): readonly EarlierSecret[] {
  const { previous_secret: sealed, previous_expires_at: expiresAt } = row;
  // Without it somebody has ended all earlier ones.
  if (sealed === null || expiresAt === null) return [];
  const previous = { id: secretIdOf(sealed), sealed, expiresAt: Number(expiresAt), place: "previous" } as const;
  const kept = parseKept(row.earlier_secrets);
  const isOfThisRow = kept.current === secretIdOf(row.secret) || kept.current === previous.id;
  const others = isOfThisRow ? kept.earlier.filter(({ secret }) => secret !== sealed) : [];
  return [
    previous,
    ...others.map((one) => ({
      id: secretIdOf(one.secret),
      sealed: one.secret,
      expiresAt: one.expiresAt,
      place: "earlier" as const,
    })),
  ];
}

interface KeptSecrets {
  /** The id of the secret that was the current one when these were written. */
  readonly current: SecretId | undefined;
  readonly earlier: readonly { readonly secret: string; readonly expiresAt: number }[];
}

function parseKept(text: string | null): KeptSecrets {
  return text === null ? { current: undefined, earlier: [] } : (JSON.parse(text) as KeptSecrets); // written below
}

/** The columns after a rotation to `sealed`: `valid` are the secrets before, as listed, each until its own time. */
export function toRotatedColumns(
  sealed: string,
  valid: readonly [StoredSecret, ...StoredSecret[]],
  currentExpiresAt: number,
): SecretColumns {
  const earlier = valid.map((one) => ({ secret: one.sealed, expiresAt: one.expiresAt ?? currentExpiresAt }));
  const [accepted] = valid;
  return {
    secret: sealed,
    previous_secret: accepted.sealed,
    previous_expires_at: accepted.expiresAt ?? currentExpiresAt,
    // Receivers change over at a moment that only they know; until one accepts another secret, this one is tried first.
    sign_first: "previous",
    earlier_secrets: JSON.stringify({ current: secretIdOf(sealed), earlier } satisfies KeptSecrets),
    accepted_secret: accepted.id,
  };
}

/** The columns of a webhook that has this secret alone. */
export function toOnlyColumns(sealed: string): SecretColumns {
  return {
    secret: sealed,
    previous_secret: null,
    previous_expires_at: null,
    sign_first: "current",
    earlier_secrets: null,
    accepted_secret: null,
  };
}
