import { decodeBase64Url } from "../base64.ts";
import type { Bytes } from "../bytes.ts";
import type { VerifyEd25519, verifyEd25519 } from "../ed25519.ts";

/** One entry of vectors/ed25519.json; bytes are base64url. */
export interface Ed25519Vector {
  readonly name: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
  /** Everybody's answer. */
  readonly isRight: boolean;
  /** Whether step 1 lets it through (SPECIFICATION.md, section 23). */
  readonly isUsable: boolean;
  /** The answer of the equation with the factor 8, which takes every encoding that decodes. A library that has it must not be used. */
  readonly withFactor8: boolean;
}

/** An implementation's answer, and whether it lets the vector through to a library that takes everything. */
export async function verifyEd25519Vector(
  verify: typeof verifyEd25519,
  vector: Ed25519Vector,
  library?: VerifyEd25519,
): Promise<unknown> {
  const bytes = bytesOfEd25519(vector);
  return { isRight: await verify(...bytes, library), isUsable: await verify(...bytes, async () => true) };
}

export function expectedOfEd25519({ isRight, isUsable }: Ed25519Vector): unknown {
  return { isRight, isUsable };
}

/** The key, the signature and what is signed. */
export function bytesOfEd25519({ publicKey, signature, message }: Ed25519Vector): readonly [Bytes, Bytes, Bytes] {
  const decode = (text: string) => decodeBase64Url(text) ?? new Uint8Array();
  return [decode(publicKey), decode(signature), decode(message)];
}
