import { wasSignInPassword } from "../browser/seen-password.ts";
import { onPersonalKeyLocked } from "./personal-key.ts";

/** Whether the key was opened with what the person had typed to sign in, so that the server has seen it. Until the key is locked. */
let isExposed = false;

onPersonalKeyLocked(() => {
  isExposed = false;
});

/** Unlocks with what was typed. It is looked at before: the page that says so comes as soon as the key is open. */
export async function noteExposure(typed: string, unlocking: () => Promise<void>): Promise<void> {
  isExposed = await wasSignInPassword(typed);
  try {
    await unlocking();
  } catch (error) {
    isExposed = false;
    throw error;
  }
}

export function isPassphraseExposed(): boolean {
  return isExposed;
}
