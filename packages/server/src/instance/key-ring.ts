/** A secret of the instance and its number, which is written before everything that is sealed with it. From 1. */
export interface NumberedSecret {
  readonly number: number;
  readonly secret: Uint8Array;
}

/** The secrets that this process holds. A rotation changes them while the service runs. */
export interface KeyRing {
  /** The one with which everything new is sealed. Throws a `MissingSecretError` where this process does not hold it. */
  active(): NumberedSecret;
  /** The active one first, then the newest to the oldest. */
  all(): readonly NumberedSecret[];
  /** Throws a `MissingSecretError` where this process does not hold it. */
  load(number: number): NumberedSecret;
  replace(secrets: readonly NumberedSecret[], activeNumber: number): void;
  /** Stops sealing and opening until it is replaced: others continue with the secret of this number, which this process lacks. */
  close(lackingNumber: number): void;
}

/** This process does not hold the secret with which something is sealed, or is to be sealed. Another process may hold it. */
export class MissingSecretError extends Error {
  constructor(number: number) {
    super(`This process does not have the secret of key ${number}`);
  }
}

/** Key numbers take four digits, so that a column can be asked for the rest of a sealed value. */
export const keyNumberMax = 9999;

export function createKeyRing(secrets: readonly NumberedSecret[], activeNumber: number): KeyRing {
  let ordered: readonly NumberedSecret[] = order(secrets, activeNumber);
  let lacking = activeNumber;
  return {
    active() {
      const [active] = ordered;
      if (active === undefined) throw new MissingSecretError(lacking);
      return active;
    },
    all: () => ordered,
    load(number) {
      const found = ordered.find((one) => one.number === number);
      if (found === undefined) throw new MissingSecretError(number);
      return found;
    },
    replace(changed, changedNumber) {
      ordered = order(changed, changedNumber);
    },
    close(lackingNumber) {
      ordered = [];
      lacking = lackingNumber;
    },
  };
}

/** The ring of an instance whose secret was never changed. */
export function createSingleRing(secret: Uint8Array): KeyRing {
  return createKeyRing([{ number: 1, secret }], 1);
}

function order(
  secrets: readonly NumberedSecret[],
  activeNumber: number,
): readonly [NumberedSecret, ...NumberedSecret[]] {
  const active = secrets.find(({ number }) => number === activeNumber);
  if (active === undefined) throw new MissingSecretError(activeNumber);
  const others = secrets.filter((one) => one !== active).toSorted((one, other) => other.number - one.number);
  return [active, ...others];
}
