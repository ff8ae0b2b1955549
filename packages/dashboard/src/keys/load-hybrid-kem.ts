import type { OpeningKey } from "@sealpost/sdk";
import type { Kem } from "@sealpost/wire";

let loading: Promise<Kem | undefined> | undefined;

/**
 * What opens and makes hybrid keys, loaded when it is first needed: most forms begin without. `undefined` in a browser that is
 * too old for it.
 */
export function loadHybridKem(): Promise<Kem | undefined> {
  // A script that did not arrive is asked for again.
  loading ??= import("./hybrid-kem.ts")
    .then(({ findHybridKem }) => findHybridKem())
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** The same, with all that opening with these keys needs. Rejects where a script of it did not arrive. */
export async function loadHybridKemFor(keys: readonly OpeningKey[]): Promise<Kem | undefined> {
  const kem = await loadHybridKem();
  if (kem !== undefined) await (await import("./hybrid-kem.ts")).prepareKeys(keys);
  return kem;
}
