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
