import type { OpeningKey } from "../open.ts";
import { toRefusal } from "./bringable.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import type { EnvelopeReader, OpenedForm } from "./envelope-reader.ts";

/** Keys of forms for a program that runs for long. */
export interface FormKeys {
  /**
   * The keys of a form. Its envelopes are opened at the first use, and again when a submission is sealed to a version that is not among them: after a
   * rotation, say. Rejects, with an `EnvelopeProblemError`, an `ApiError` or fetch's own error, where a key is missing that may be in an envelope
   * which could not be fetched or was refused.
   */
  keysFor(formId: string, keyVersion: number): Promise<readonly OpeningKey[]>;
}

export interface FormKeysOptions {
  /** Called whenever the envelopes of a form were opened. */
  readonly onOpened?: (formId: string, opened: OpenedForm) => void;
  /** How long a version that no envelope gave is not asked for again; 10 seconds unless set. */
  readonly pauseMilliseconds?: number;
  /** The clock, in milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

interface HeldKeys {
  /** By their versions. */
  readonly keys: Map<number, OpeningKey>;
  /** When versions were looked for in vain, and the problem that there was. */
  readonly missing: Map<number, { readonly at: number; readonly problem?: EnvelopeProblemError }>;
  opening: Promise<void> | undefined;
}

/** So many versions that are nowhere are remembered; a server could name any number of them. */
const missingMax = 100;
/** So many forms are held, those that were asked for last: a server could name any number of them. The keys of another are opened again when they are needed. */
const formsMax = 10_000;

export function createFormKeys(
  reader: EnvelopeReader,
  { onOpened, pauseMilliseconds = 10_000, now = Date.now }: FormKeysOptions = {},
): FormKeys {
  const forms = new Map<string, HeldKeys>();

  async function open(formId: string, held: HeldKeys): Promise<void> {
    const opened = await reader.open(formId);
    if (opened.kind === "none") return;
    const { keys, refused } = opened;
    for (const key of keys) held.keys.set(key.keyVersion ?? 0, key);
    onOpened?.(formId, opened);
    const [first] = refused;
    if (first !== undefined) throw toRefusal(first);
  }

  return {
    async keysFor(formId, keyVersion) {
      const held: HeldKeys = forms.get(formId) ?? { keys: new Map(), missing: new Map(), opening: undefined };
      // Again at the end: the one that was asked for longest ago is the first.
      forms.delete(formId);
      forms.set(formId, held);
      const [oldest] = forms.keys();
      if (forms.size > formsMax && oldest !== undefined) forms.delete(oldest);
      const isHeld = () => held.keys.has(keyVersion);
      for (let isOwn = false; !isOwn && !isHeld(); ) {
        const missing = held.missing.get(keyVersion);
        if (missing !== undefined && now() - missing.at < pauseMilliseconds) {
          if (missing.problem !== undefined) throw missing.problem;
          break;
        }
        // One that somebody else began may have asked before the version was there.
        isOwn = held.opening === undefined;
        held.opening ??= open(formId, held).finally(() => {
          held.opening = undefined;
        });
        const failure = await held.opening.then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (isOwn && !isHeld()) remember(held, keyVersion, failure);
      }
      return [...held.keys.values()];
    },
  };

  /** Throws the failure. One of the network is no reason to wait. */
  function remember(held: HeldKeys, keyVersion: number, failure: { readonly error: unknown } | undefined): void {
    const isProblem = failure?.error instanceof EnvelopeProblemError;
    if (held.missing.size >= missingMax) held.missing.clear();
    if (failure === undefined) held.missing.set(keyVersion, { at: now() });
    else if (isProblem) held.missing.set(keyVersion, { at: now(), problem: failure.error as EnvelopeProblemError });
    if (failure !== undefined) throw failure.error;
  }
}
