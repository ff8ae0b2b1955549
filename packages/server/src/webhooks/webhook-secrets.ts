import type { Selectable } from "kysely";
import type { WebhookTable } from "../database/delivery-tables.ts";
import { ivPlace } from "../instance/secret-box.ts";
import { dayMilliseconds } from "../time/clock.ts";

/** Names one of a form's secrets, while it is kept; never its value. */
export type SecretId = string;

/** One of a form's valid secrets, in its stored form. */
export interface StoredSecret {
  readonly id: SecretId;
  readonly sealed: string;
  /** `undefined` for the current one. */
  readonly expiresAt: number | undefined;
  /** Whether an organization that had the form before knows it. */
  readonly isKnown: boolean;
}

type SecretColumns = Pick<
  Selectable<WebhookTable>,
  "secret" | "earlier_secrets" | "accepted_secret" | "secret_known_since"
>;

/** How many secrets of a form are valid at once. */
export const secretsMax = 5;
/** How long the secret before a rotation stays valid, where its owner wants that (contract, section 12.4). */
export const previousSecretMilliseconds = dayMilliseconds;

/** A secret is named by the iv of its sealed value, which stays with it wherever it is moved, and when it is sealed again. */
export function secretIdOf(sealed: string): SecretId {
  return sealed.slice(ivPlace.start, ivPlace.start + ivPlace.length);
}

/** The secrets that are valid at `now`: the one that was accepted last, then the newest to the oldest. */
export function listValidSecrets(row: SecretColumns, now: number): readonly [StoredSecret, ...StoredSecret[]] {
  const current: StoredSecret = {
    ...{ id: secretIdOf(row.secret), sealed: row.secret, expiresAt: undefined },
    isKnown: row.secret_known_since !== null,
  };
  const earlier = listEarlier(row)
    // One that a clock which was ahead has given more time signs for that long: receivers may have no other yet, and it opens nothing here.
    .filter(({ expiresAt }) => expiresAt > now)
    .toSorted((one, other) => other.expiresAt - one.expiresAt);
  const accepted = earlier.find(({ id }) => id === row.accepted_secret);
  return accepted === undefined
    ? [current, ...earlier]
    : [accepted, current, ...earlier.filter((one) => one !== accepted)];
}

type EarlierSecret = StoredSecret & { readonly expiresAt: number };

function listEarlier({ earlier_secrets: text }: Pick<SecretColumns, "earlier_secrets">): readonly EarlierSecret[] {
  const kept = text === null ? [] : (JSON.parse(text) as readonly KeptSecret[]); // written below
  return kept.map(({ secret, expiresAt, isKnown = false }) => ({
    ...{ id: secretIdOf(secret), sealed: secret, expiresAt, isKnown },
  }));
}

interface KeptSecret {
  readonly secret: string;
  readonly expiresAt: number;
  readonly isKnown?: true;
}

function toKept({ sealed, isKnown }: StoredSecret, expiresAt: number): KeptSecret {
  return { secret: sealed, expiresAt, ...(isKnown && { isKnown }) };
}

/** The columns after a rotation to `sealed`: `valid` are the secrets before, as listed, each until its own time. Nobody knows the new one but those who have the form. */
export function toRotatedColumns(
  sealed: string,
  valid: readonly [StoredSecret, ...StoredSecret[]],
  currentExpiresAt: number,
): SecretColumns {
  const earlier = valid.map((one) => toKept(one, one.expiresAt ?? currentExpiresAt));
  // Receivers change over at a moment that only they know; until one accepts another secret, this one is tried first.
  const known = { earlier_secrets: JSON.stringify(earlier), accepted_secret: valid[0].id };
  return { secret: sealed, ...known, secret_known_since: null };
}

/** The columns of a webhook that has this secret alone. */
export function toOnlyColumns(sealed: string): SecretColumns {
  return { secret: sealed, earlier_secrets: null, accepted_secret: null, secret_known_since: null };
}

/** The earlier ones of these secrets, which an organization before knows or not. */
export function toEarlierColumn(secrets: readonly StoredSecret[]): Pick<SecretColumns, "earlier_secrets"> {
  const earlier = secrets.flatMap((one) => (one.expiresAt === undefined ? [] : toKept(one, one.expiresAt)));
  return { earlier_secrets: earlier.length === 0 ? null : JSON.stringify(earlier) };
}

/** Known by an organization that had the form so far. */
export function toKnown<Secret extends StoredSecret>(secret: Secret): Secret {
  return { ...secret, isKnown: true };
}

/** Where as many are valid as may be, without the one that ends first, so that there is room for another; never the one that is tried first. */
export function withRoom([first, ...others]: readonly [StoredSecret, ...StoredSecret[]]): readonly [
  StoredSecret,
  ...StoredSecret[],
] {
  const endOf = ({ expiresAt = Infinity }: StoredSecret) => expiresAt;
  const kept =
    others.length + 1 < secretsMax
      ? others
      : others.toSorted((one, other) => endOf(other) - endOf(one)).slice(0, secretsMax - 2);
  return [first, ...others.filter((one) => kept.includes(one))];
}
