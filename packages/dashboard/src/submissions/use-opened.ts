import type { OpeningKey, SubmissionToOpen } from "@sealpost/sdk";
import { useEffect, useRef, useState } from "react";
import { createOpener, type Opener } from "./opener.ts";
import type { Outcome } from "./row.ts";

const nothing: ReadonlyMap<string, Outcome> = new Map();

/** The opened ones of some submissions, by id; those that are still being opened are absent. */
export function useOpened(
  formId: string,
  submissions: readonly SubmissionToOpen[],
  keys: readonly OpeningKey[],
  fingerprints: ReadonlyMap<number, string> | undefined,
): ReadonlyMap<string, Outcome> {
  const [opened, setOpened] = useState(nothing);
  const waiting = useRef<SubmissionToOpen[]>([]);
  const given = useRef(new Set<string>());
  const opener = useRef<Opener>(undefined);
  useEffect(() => {
    if (fingerprints === undefined) return;
    given.current = new Set();
    waiting.current = [];
    setOpened(nothing);
    const made = createOpener({
      formId,
      keys,
      fingerprints,
      take: (count) => waiting.current.splice(0, count),
      onOpened: (some) => setOpened((before) => new Map([...before, ...some])),
    });
    opener.current = made;
    return () => made.stop();
  }, [formId, keys, fingerprints]);
  // After the one above, so that another set of keys opens all of them again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new opener has been given nothing
  useEffect(() => {
    for (const submission of submissions) {
      if (given.current.has(submission.id)) continue;
      given.current.add(submission.id);
      waiting.current.push(submission);
    }
    opener.current?.wake();
  }, [submissions, keys, fingerprints]);
  return opened;
}
