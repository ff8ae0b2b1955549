import { webauthn } from "age-encryption";

/** Both results of a passkey's PRF for a nonce; the key of a copy is made of them. */
export interface PasskeySecrets {
  readonly first: BufferSource;
  readonly second?: BufferSource;
}

/** Asks the person for their passkey. Only a page can, so a worker asks its page. */
export type AskPasskey = (nonce: Uint8Array) => Promise<PasskeySecrets>;

/** A passkey as an identity of age, in a worker: the prompt is the page's. */
export class PasskeyIdentity extends webauthn.WebAuthnIdentity {
  readonly #ask: AskPasskey;

  constructor(ask: AskPasskey) {
    super();
    this.#ask = ask;
  }

  protected override getCredential(nonce: Uint8Array): Promise<PasskeySecrets> {
    return this.#ask(nonce);
  }
}

/** The same, to seal for. */
export class PasskeyRecipient extends webauthn.WebAuthnRecipient {
  readonly #ask: AskPasskey;

  constructor(ask: AskPasskey) {
    super();
    this.#ask = ask;
  }

  protected override getCredential(nonce: Uint8Array): Promise<PasskeySecrets> {
    return this.#ask(nonce);
  }
}
