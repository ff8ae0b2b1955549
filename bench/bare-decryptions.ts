import type { Page } from "playwright-core";

/** A worker's text: decrypts with RSA-OAEP. Its messages are the private key as JWK, and inputs. */
export const decryptCode = `let key;
onmessage = async ({ data: [jwk, inputs] }) => {
  key ??= await crypto.subtle.importKey("jwk", jwk, { name: "RSA-OAEP", hash: "SHA-256" }, false, ["decrypt"]);
  await Promise.all(inputs.map((input) => crypto.subtle.decrypt("RSA-OAEP", key, input)));
  postMessage("done");
}`;
/** The same with the native hybrid key encapsulation: the key is the bytes of its seed. */
export const decapsulateCode = `let key;
onmessage = async ({ data: [seed, inputs] }) => {
  key ??= await crypto.subtle.importKey("raw-seed", Uint8Array.from(seed), "MLKEM768-X25519", false, ["decapsulateBits"]);
  await Promise.all(inputs.map((input) => crypto.subtle.decapsulateBits("MLKEM768-X25519", key, input)));
  postMessage("done");
}`;

/** The bare operations in as many Web Workers as processors: Chromium makes each on the thread that asks for it. */
export async function decryptInWorkers(
  page: Page,
  code: string,
  privateKey: object,
  wrapped: readonly Uint8Array[],
): Promise<number> {
  const keys = wrapped.map((bytes) => Buffer.from(bytes).toString("base64"));
  return page.evaluate(
    async ([script, key, texts]) => {
      const inputs = texts.map((text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
      const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
      const workers = Array.from({ length: navigator.hardwareConcurrency }, () => new Worker(url));
      const decrypt = (share: (index: number) => Uint8Array[]) =>
        Promise.all(
          workers.map(
            (worker, index) =>
              new Promise((resolve, reject) => {
                Object.assign(worker, { onmessage: resolve, onerror: reject });
                worker.postMessage([key, share(index)]);
              }),
          ),
        );
      await decrypt(() => []); // until all have started
      const started = performance.now();
      await decrypt((worker) => inputs.filter((_, index) => index % workers.length === worker));
      const took = performance.now() - started;
      for (const worker of workers) worker.terminate();
      return took;
    },
    [code, privateKey, keys] as const,
  );
}
