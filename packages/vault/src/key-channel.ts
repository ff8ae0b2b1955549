import type { PublicHalves } from "@sealpost/envelope";
import type { KeyAnswer, KeyRequest } from "./key-server.ts";
import type { PasskeySecrets } from "./passkey-prf.ts";

/**
 * Between the tabs of this browser, for every page of this origin to hear. The open key is in none of it. A request has what somebody typed for it: a
 * passphrase that becomes a way to unlock, or the recovery key that opens what the own key does not.
 */
export type TabMessage =
  /** A tab that has just come asks whether a key is open. */
  | { readonly kind: "question" }
  /** The sender has the open key. */
  | { readonly kind: "opened"; readonly halves: PublicHalves }
  /** Every tab locks. */
  | { readonly kind: "locked" }
  /** The key will lock by itself in a minute, or no longer will, since somebody has done something. */
  | { readonly kind: "locks_soon"; readonly isSoon: boolean }
  /** Somebody has done something in a tab, or has set another time. */
  | { readonly kind: "used" }
  | { readonly kind: "request"; readonly id: string; readonly request: KeyRequest }
  | { readonly kind: "answer"; readonly id: string; readonly answer: KeyAnswer }
  /** The request `id` needs its person's passkey, in the tab in front of them. */
  | { readonly kind: "passkey"; readonly id: string; readonly nonce: Uint8Array }
  | { readonly kind: "prf"; readonly id: string; readonly secrets: PasskeySecrets | undefined };

export const channelName = "sealpost-personal-key";

/** Locks the key wherever it is open, this tab included. Needs nothing to be loaded: signing out must not fail by it. */
export function lockInAllTabs(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage({ kind: "locked" } satisfies TabMessage);
  channel.close();
}
