const storageKey = "sealpost-organization-chosen";

/** The person has said in this session for which organization it acts. A new sign-in acts for their own again, or for their oldest. */
export function noteChosen(sessionId: string): void {
  try {
    localStorage.setItem(storageKey, sessionId);
  } catch {
    // A full or forbidden storage: then it is said again.
  }
}

export const hasChosen = (sessionId: string): boolean => localStorage.getItem(storageKey) === sessionId;
