import { useState } from "react";
import { describeError } from "../api/describe-error.ts";
import { type Paused, type ReadSource, readSources, type Source, toSources } from "./read-sources.ts";

export interface KeyPickerOptions<Found> {
  readonly read: ReadSource<Found>;
  /** Receives all keys at once, with a sentence for each file that was no key. It may refuse them. */
  readonly onKeys: (found: readonly Found[], refusals: readonly string[]) => Promise<string | undefined>;
}

/** State of a `KeyPicker`, which takes sources, waits for a passphrase where one is needed, and says what was refused. */
export function useKeyPicker<Found>({ read, onKeys }: KeyPickerOptions<Found>) {
  const [isPasting, setIsPasting] = useState(false);
  const [isWorking, setIsWorking] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  /** Then it is refused at its field: the top of the picker may be out of sight while a phone's keyboard is open. */
  const [isTyped, setIsTyped] = useState(false);
  const [waiting, setWaiting] = useState<Paused<Found>>();

  async function take(sources: readonly Source[], before: readonly Found[] = [], passphrase?: string): Promise<void> {
    setIsWorking(true);
    setRefusal(undefined);
    const fromField = isPasting && sources.every(({ name }) => name === undefined);
    setIsTyped(fromField);
    try {
      const result = await readSources(read, sources, before, passphrase);
      if ("paused" in result) return setWaiting(result.paused);
      setWaiting(undefined);
      const { found, refusals } = result;
      const refused = found.length === 0 ? refusals.join(". ") : await onKeys(found, refusals);
      setRefusal(refused);
      // Secrets do not stay on the screen once they are taken; what is typed while a file is read was not.
      if (refused === undefined && fromField) setIsPasting(false);
    } catch (error) {
      // The program that opens protected files did not arrive, for example.
      const { title, hint = "" } = describeError(error);
      setRefusal(`${title}. ${hint}`);
    } finally {
      setIsWorking(false);
    }
  }

  return {
    isPasting,
    isWorking,
    isTyped,
    refusal,
    waiting,
    startPasting: () => setIsPasting(true),
    cancel: () => setWaiting(undefined),
    takeText: (given: string) => take([{ bytes: new TextEncoder().encode(given) }]),
    takeFiles: async (files: readonly File[]) => take(await toSources(files)),
    /** Continues with the file that waits for it. */
    takePassphrase: async (passphrase: string) => {
      if (waiting !== undefined) await take(waiting.rest, waiting.found, passphrase);
    },
  };
}
