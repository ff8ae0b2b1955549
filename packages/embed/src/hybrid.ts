import {
  type Binding,
  type Encapsulator,
  type Fields,
  findNativeEncapsulator,
  type HybridPublicKey,
  type Payload,
  sealByEncapsulator,
} from "@sealpost/wire";
import { loadSecondScript, type SecondScript } from "./second-script.ts";

/** Put here by the build, like that of privacy.ts. */
declare const SEALPOST_HYBRID_SCRIPT: SecondScript;

/** Where the second script (hybrid-script.ts) leaves its key encapsulation. */
export const encapsulatorMark = Symbol.for("sealpost.kem");

/**
 * Seals to a hybrid key, by the browser's own key encapsulation or, where it has none or its own fails, by that of the second script. There is
 * no other way: sealing to the RSA key instead would let anybody who can block a script choose the weaker key.
 */
export async function sealToHybridKey(
  fields: Fields,
  binding: Binding,
  publicKey: HybridPublicKey,
  scriptFolder: string,
): Promise<Payload | undefined> {
  for (const find of [findNativeEncapsulator, loadEncapsulator])
    try {
      const encapsulator = await find(scriptFolder);
      if (encapsulator) return await sealByEncapsulator(encapsulator, fields, binding, publicKey);
    } catch (error) {
      console.error(error);
    }
  return undefined;
}

/** The second script's. Rejects if it cannot be had. */
export function loadEncapsulator(scriptFolder: string): Promise<Encapsulator> {
  return loadSecondScript(scriptFolder, encapsulatorMark, SEALPOST_HYBRID_SCRIPT);
}
