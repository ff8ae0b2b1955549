import type { KeyAnswer, KeyRequest } from "./key-server.ts";
import type { PasskeySecrets } from "./passkey-prf.ts";

/** A message of the page to the worker that holds the personal key. */
export type ToWorker =
  | { readonly kind: "request"; readonly id: string; readonly request: KeyRequest }
  /** Without `secrets` where the person used no passkey. */
  | { readonly kind: "passkey"; readonly id: string; readonly secrets: PasskeySecrets | undefined };

/** A message of that worker to the page. */
export type FromWorker =
  | { readonly kind: "answer"; readonly id: string; readonly answer: KeyAnswer }
  | { readonly kind: "passkey"; readonly id: string; readonly requestId: string; readonly nonce: Uint8Array };
