import type { AskPasskey, PasskeySecrets } from "@sealpost/vault";
import { webauthn } from "age-encryption";
import { PasskeyRefused } from "../api/passkey-api.ts";
import { text } from "../texts/text.ts";
import { PasskeyWithoutPrf } from "./passkey-without-prf.ts";

const { personalKey } = text;

const texts = personalKey.unlock;

/** The page's half of a passkey: `getCredential` is the prompt of the browser. */
class Prompt extends webauthn.WebAuthnIdentity {
  ask(nonce: Uint8Array): Promise<PasskeySecrets> {
    return this.getCredential(nonce);
  }
}

/**
 * Shows the browser's prompt, for any passkey or that of `identity`. Rejects with `PasskeyRefused` where it was closed, and with
 * `PasskeyWithoutPrf`.
 */
export function createPasskeyPrompt(identity?: string): AskPasskey {
  const prompt = new Prompt(identity === undefined ? {} : { identity });
  return (nonce) => orRefuse(() => prompt.ask(nonce));
}

/** Makes a passkey that opens copies, and gives what names it. Rejects as `createPasskeyPrompt` says. */
export function createKeyPasskey(keyName: string): Promise<string> {
  return orRefuse(() => webauthn.createCredential({ keyName }));
}

async function orRefuse<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DOMException)) throw new PasskeyWithoutPrf(); // the library's own errors are all about that
    if (error.name === "NotSupportedError") throw new PasskeyWithoutPrf();
    throw new PasskeyRefused(texts.passkeyClosed);
  }
}
