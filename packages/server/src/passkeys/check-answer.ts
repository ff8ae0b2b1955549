import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { Problem } from "../problems/problem.ts";
import type { Ceremony } from "./ceremony.ts";
import type { NewAnswer, SignedAnswer } from "./passkey-schemas.ts";

/** The algorithms that are asked for, by their COSE numbers: Ed25519, ES256, RS256. */
export const algorithms = [-8, -7, -257];

export interface NewCredential {
  readonly credentialId: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  /** The authenticator's model (AAGUID), if it names one. */
  readonly model: string;
}

/** Takes a third of a second to load, and is not needed before somebody uses a passkey. */
async function loadLibrary() {
  const [library, helpers] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  return { ...library, ...helpers };
}

/** The key of a browser's new passkey. Throws unless it was made for this ceremony, by somebody whom the authenticator has checked. */
export async function checkNew(answer: NewAnswer, ceremony: Ceremony): Promise<NewCredential> {
  const { verifyRegistrationResponse, ...library } = await loadLibrary();
  const verified = await orRefuse(async () =>
    verifyRegistrationResponse({
      response: toRegistration(answer, library),
      expectedChallenge: ceremony.challenge,
      expectedOrigin: ceremony.party.origin,
      expectedRPID: ceremony.party.id,
      // Required below, where the answer says what to do.
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!verified.verified) throw refused();
  const { userVerified, credential, aaguid } = verified.registrationInfo;
  if (!userVerified) throw userUnverified();
  // The library compares nothing with the id that the schema bounds.
  if (credential.id !== answer.id) throw refused();
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: answer.transports,
    model: aaguid,
  };
}

/** The counter of what a passkey has signed. Throws unless it was signed for this ceremony, with this key. */
export async function checkSigned(
  answer: SignedAnswer,
  ceremony: Ceremony,
  key: { readonly credentialId: string; readonly publicKey: string },
): Promise<number> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const verified = await orRefuse(() =>
    verifyAuthenticationResponse({
      response: toAuthentication(answer),
      expectedChallenge: ceremony.challenge,
      expectedOrigin: ceremony.party.origin,
      expectedRPID: ceremony.party.id,
      // As above.
      requireUserVerification: false,
      // The store compares the counter, in the statement that writes it.
      credential: { id: key.credentialId, publicKey: Buffer.from(key.publicKey, "base64url"), counter: 0 },
    }),
  );
  if (!verified.verified) throw refused();
  const { userVerified, newCounter } = verified.authenticationInfo;
  if (!userVerified) throw userUnverified();
  return newCounter;
}

function toAuthentication({ id, userHandle, ...signed }: SignedAnswer): AuthenticationResponseJSON {
  const response = { ...signed, ...(userHandle !== null && { userHandle }) };
  return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
}

function toRegistration(
  { id, clientDataJSON, attestationObject }: NewAnswer,
  helpers: Helpers,
): RegistrationResponseJSON {
  const response = { clientDataJSON, attestationObject: dropForeignStatement(attestationObject, helpers) };
  return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
}

type Helpers = Pick<Awaited<ReturnType<typeof loadLibrary>>, "decodeAttestationObject" | "isoCBOR">;

/**
 * We ask for no attestation, and trust no manufacturer. One with certificates is dropped unread: the library would fetch lists of revoked
 * ones from the addresses in them, which anybody can write. One that the new key itself has signed is checked.
 */
function dropForeignStatement(text: string, { decodeAttestationObject, isoCBOR }: Helpers): string {
  const object = decodeAttestationObject(Buffer.from(text, "base64url"));
  const isSelfSigned = object.get("fmt") === "packed" && object.get("attStmt").get("x5c") === undefined;
  if (object.get("fmt") === "none" || isSelfSigned) return text;
  const bare = new Map<string, unknown>([
    ["fmt", "none"],
    ["attStmt", new Map()],
    ["authData", object.get("authData")],
  ]);
  return Buffer.from(isoCBOR.encode(bare as never)).toString("base64url"); // texts, a map and bytes
}

/** The library throws whatever is wrong with an answer, in words that mean nothing to people. */
async function orRefuse<Result>(check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    throw refused(error);
  }
}

export function refused(cause?: unknown): Problem {
  return new Problem("forbidden", "The passkey's answer could not be verified. Please try again.", { cause });
}

function userUnverified(): Problem {
  return new Problem(
    "forbidden",
    "This passkey did not check that it is you: set up a PIN, a fingerprint or a face for it, then try again",
  );
}
