import { generatePersonalKey, openKeyCopy, type PublicHalves, type Reason, RefusalError } from "@sealpost/envelope";
import { type CopySecretGiven, secretOf } from "./copy-secret.ts";
import type { OpenKey } from "./open-key.ts";
import type { AskPasskey } from "./passkey-prf.ts";

export type KeyRequest =
  | { readonly act: "make" }
  | {
      readonly act: "open";
      readonly file: Uint8Array<ArrayBuffer>;
      readonly secret: CopySecretGiven;
      readonly expected: PublicHalves | undefined;
    }
  | { readonly act: "operate"; readonly name: string; readonly request: unknown };

/** `value` is of the kind that the request asks for: public halves, or the answer of an operation. */
export type KeyAnswer =
  | { readonly outcome: "done"; readonly value: unknown }
  | { readonly outcome: "refused"; readonly reason: Reason }
  | { readonly outcome: "failed"; readonly message: string };

export type KeyServer = (request: KeyRequest, askPasskey: AskPasskey) => Promise<KeyAnswer>;

/**
 * One thing that a page may have done with the open key; its answer may hold nothing of the key. It refuses with a `RefusalError`. The
 * asker sends the request of this very operation.
 */
export type Operation = (key: OpenKey, request: never, askPasskey: AskPasskey) => Promise<unknown>;

/** Holds one personal key and answers for it. Runs in a worker, with which the key ends. */
export function createKeyServer(operations: Readonly<Record<string, Operation>>): KeyServer {
  let key: OpenKey | undefined;

  async function answer(request: KeyRequest, askPasskey: AskPasskey): Promise<unknown> {
    switch (request.act) {
      case "make":
        key = { ...(await generatePersonalKey()), former: [] };
        return halvesOf(key);
      case "open": {
        const opened = await openKeyCopy(request.file, secretOf(request.secret, askPasskey), request.expected);
        if (opened instanceof RefusalError) return opened;
        key = { ...opened, former: [] };
        return halvesOf(key);
      }
      case "operate": {
        if (key === undefined) throw new Error("No personal key is open here");
        const operation = Object.hasOwn(operations, request.name) ? operations[request.name] : undefined;
        if (operation === undefined) throw new Error(`No operation ${request.name}`);
        return operation(key, request.request as never, askPasskey); // of this very operation
      }
      default:
        return request satisfies never;
    }
  }

  return async (request, askPasskey) => {
    try {
      const value = await answer(request, askPasskey);
      return value instanceof RefusalError ? { outcome: "refused", reason: value.reason } : { outcome: "done", value };
    } catch (error) {
      if (error instanceof RefusalError) return { outcome: "refused", reason: error.reason };
      return { outcome: "failed", message: error instanceof Error ? error.message : String(error) };
    }
  };
}

function halvesOf({ recipient, signingKey }: PublicHalves): PublicHalves {
  return { recipient, signingKey };
}
