import { forgetAnsweredOfOthers } from "../organization/admission-link.ts";

/** Somebody is signed in: what this browser has kept for other people is deleted, as it may be a shared one. */
export async function forgetOthers(person: string): Promise<void> {
  forgetAnsweredOfOthers(person);
  try {
    const { forgetKeysOfOthers } = await import("./remembered-keys.ts");
    await forgetKeysOfOthers(person);
  } catch {
    // Deleted by the next page; until then they are found for their person alone.
  }
}
