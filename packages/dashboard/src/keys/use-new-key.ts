import type { OpeningKey } from "@sealpost/sdk";
import { useState } from "react";
import type { NewKey } from "./new-key.ts";

/** A key that was just made, and what its owner has done with it so far. */
export interface NewKeyProgress {
  readonly newKey: NewKey;
  readonly isSaved: boolean;
  /** The saved key as the owner brought it back: only then may its public half be used. */
  readonly provenKey?: OpeningKey;
}

/**
 * The one new key of a page. Saved and proved belong to the key and are gone with it: another key, made after this one was
 * given up, starts over. Were they kept apart, visitors could be made to seal to a key that nobody has.
 */
export function useNewKey() {
  const [progress, setProgress] = useState<NewKeyProgress>();
  const advance = (newKey: NewKey, step: Omit<NewKeyProgress, "newKey" | "isSaved"> & { isSaved?: true }) =>
    setProgress((now) => (now?.newKey === newKey ? { ...now, ...step } : now));
  return {
    progress,
    begin: (newKey: NewKey) => setProgress({ newKey, isSaved: false }),
    markSaved: (newKey: NewKey) => advance(newKey, { isSaved: true }),
    markProved: (newKey: NewKey, provenKey: OpeningKey) => advance(newKey, { provenKey }),
    giveUp: () => setProgress(undefined),
  };
}
