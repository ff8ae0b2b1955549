/**
 * In the place of `browser/trusted-types.ts`: the workers of this page are texts inside it, and nothing else may become a script.
 * They are no modules: Chromium starts none from a page of the disk.
 */
export function startWorker(url: string): Worker {
  return new Worker(policy?.createScriptURL(url) ?? url);
}

interface TrustedTypePolicyFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const factory = (globalThis as { readonly trustedTypes?: TrustedTypePolicyFactory }).trustedTypes; // absent in older Firefox and Safari
const policy = factory?.createPolicy("sealpost", {
  createScriptURL(url) {
    if (!url.startsWith("blob:")) throw new TypeError("Only the workers of this page may run");
    return url;
  },
});
