import type { Options } from "./options.ts";
import { type Answer, type PublicForm, refused } from "./service.ts";
import type { Target } from "./target.ts";

declare global {
  /** Put here by the build: false in the script for pages without a key log, which then has nothing of it. */
  const SEALPOST_KEY_LOG: boolean;
}

/**
 * The form, with a key that its key log vouches for, from the head on that the page pins (`options.keyLog`, which is one). `isFresh`: nothing
 * that the browser has kept.
 */
export type LoadLoggedForm = (
  target: Target,
  options: Options,
  isFresh: boolean | undefined,
) => Promise<Answer<PublicForm>>;

let load: LoadLoggedForm | undefined;

/** Called by key-log.ts, where it is loaded: what verifies a log is large, and most pages need none of it. */
export function provideKeyLogs(loader: LoadLoggedForm): void {
  load = loader;
}

export function knowsKeyLogs(): boolean {
  return load !== undefined;
}

export const loadLoggedForm: LoadLoggedForm = async (...parts) => load?.(...parts) ?? refused("misconfigured");
