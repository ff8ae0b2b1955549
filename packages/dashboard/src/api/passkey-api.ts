import { encodeBase64Url } from "@sealpost/wire";
import { queryOptions } from "@tanstack/react-query";
import { text } from "../texts/text.ts";
import { Explained } from "./describe-error.ts";
import { request } from "./session-api.ts";

const { passkeys: texts } = text;

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly addedAt: number;
  readonly usedAt: number | null;
}

interface PasskeyList {
  readonly passkeys: readonly Passkey[];
  /** Whether browsers have passkeys at the instance's address. */
  readonly isAvailable: boolean;
}

/** The person cancelled, or the device has no passkey: nothing that failed on our side. */
export class PasskeyRefused extends Explained {}

interface Wish {
  /** Offers passkeys where the address is typed, and waits until one is chosen. */
  readonly isQuiet?: boolean;
  readonly signal?: AbortSignal;
}

/** A browser's answer that a passkey has signed. */
type SignedAnswer = Readonly<Record<string, string | null>>;

/** Passkeys: the requests, and what the browser does between two of them. */
export const passkeyApi = {
  list: (): Promise<PasskeyList> => request("GET", "passkeys"),
  async add(): Promise<Passkey> {
    const { publicKey } = await request<{ publicKey: PublicKeyCredentialCreationOptionsJSON }>(
      "POST",
      "passkeys/begin",
      {},
    );
    const made = await orRefuse(
      () => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) }),
      texts.notAdded,
    );
    const response = made.response as AuthenticatorAttestationResponse; // of `create`
    const { passkey } = await request<{ passkey: Passkey }>("POST", "passkeys", {
      id: made.id,
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports(),
    });
    return passkey;
  },
  rename: async (id: string, name: string): Promise<unknown> => request("PATCH", `passkeys/${id}`, { name }),
  remove: (id: string): Promise<unknown> => request("DELETE", `passkeys/${id}`, {}),
  /** Asks the person for a passkey; what it has signed is for `finish`. */
  async ask(purpose: "sign-in" | "confirm", { isQuiet = false, signal }: Wish = {}): Promise<SignedAnswer> {
    const { publicKey } = await request<{ publicKey: PublicKeyCredentialRequestOptionsJSON }>(
      "POST",
      `passkeys/begin-${purpose}`,
      {},
    );
    const used = await orRefuse(
      () =>
        navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey),
          ...(isQuiet && { mediation: "conditional" as const }),
          ...(signal && { signal }),
        }),
      texts.notUsed,
    );
    const response = used.response as AuthenticatorAssertionResponse; // of `get`
    return {
      id: used.id,
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      userHandle: response.userHandle === null ? null : toText(response.userHandle),
    };
  },
  finish: (purpose: "sign-in" | "confirm", answer: SignedAnswer): Promise<unknown> =>
    request("POST", `passkeys/${purpose}`, answer),
};

export const passkeysQuery = queryOptions({ queryKey: ["passkeys"], queryFn: passkeyApi.list });

/** Those that are made to unlock a person's key (`createKeyPasskey`) have a name of so many bytes; the service gives longer ones. */
const keyHandleCharacters = 11;

/**
 * Whether a passkey was made to unlock a key. It can't sign in, and must not be forgotten for that: browsers offer it where they offer
 * those that can, and would remove one that is said to be unknown.
 */
export function isOfKey({ userHandle }: SignedAnswer): boolean {
  return userHandle?.length === keyHandleCharacters;
}

/** Whether this browser has passkeys at this address: with HTTPS or on localhost, and for a host with a name. */
export function findPasskeySupport(): "available" | "unsupported" | "insecure" {
  const { hostname } = window.location;
  if (!window.isSecureContext || /^[\d.]+$|^\[/.test(hostname)) return "insecure";
  return typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential
    ? "available"
    : "unsupported";
}

/** Some password managers give objects that have no `toJSON`. */
function toText(bytes: ArrayBuffer): string {
  return encodeBase64Url(new Uint8Array(bytes));
}

/** A person who cancels, or finds no passkey, is the same to a page as one who waits too long (`NotAllowedError`). */
async function orRefuse(work: () => Promise<Credential | null>, sentence: string): Promise<PublicKeyCredential> {
  try {
    const found = await work();
    if (found !== null) return found as PublicKeyCredential; // what was asked for
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    if (name === "AbortError") throw error;
    if (name === "InvalidStateError") throw new PasskeyRefused(texts.known);
    if (name === "SecurityError") throw new PasskeyRefused(texts.insecure);
    if (name === "NotSupportedError") throw new PasskeyRefused(texts.unsupported);
    if (name !== "NotAllowedError") throw error;
  }
  throw new PasskeyRefused(sentence);
}
