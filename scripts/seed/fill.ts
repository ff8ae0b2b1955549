import { answersOf } from "./answers.ts";
import { type SeedForm, submit } from "./submit.ts";

export interface FillOptions {
  readonly url: string;
  readonly form: SeedForm;
  readonly count: number;
  /** Number of the first visitor, so that two runs differ. */
  readonly first?: number;
  readonly onProgress?: (sent: number) => void;
  readonly onWait?: (seconds: number) => void;
}

/** Enough to keep the service's group commit busy, few enough to leave the machine usable. */
const atOnce = 8;

/** Sends `count` submissions. Gives their ids; after an error no further one is begun. */
export async function fillForm(options: FillOptions): Promise<readonly string[]> {
  const { url, form, count, first = 0, onProgress, onWait } = options;
  const ids: string[] = [];
  let next = 0;
  let waitSaid = 0;
  async function sendNext(): Promise<void> {
    while (next < count) {
      const index = first + next;
      next += 1;
      const id = await submit(url, form, answersOf(index), (seconds) => {
        // All of them are asked to wait at the same moment.
        if (Date.now() < waitSaid) return;
        waitSaid = Date.now() + seconds * 1000;
        onWait?.(seconds);
      });
      ids.push(id);
      onProgress?.(ids.length);
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, sendNext));
  } finally {
    next = count;
  }
  return ids;
}
