import type { Kem } from "@sealpost/wire";

let loading: Promise<Kem> | undefined;

/** Opens and makes hybrid keys, in every browser; loaded when it is first needed. Rejects where a script of it did not arrive. */
export function loadHybridKem(): Promise<Kem> {
  // A script that did not arrive is asked for again.
  loading ??= import("./hybrid-kem.ts")
    .then(({ findHybridKem }) => findHybridKem())
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** Whether the browser has X25519 keys of its own that reach a worker and a database. */
export async function hasNativeX25519(): Promise<boolean> {
  const { findNativeX25519 } = await import("./x25519.ts");
  return (await findNativeX25519()) !== undefined;
}
