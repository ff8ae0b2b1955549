/** The part of the platform's Trusted Types that is used here; TypeScript does not know them yet. */
interface TrustedTypePolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypePolicyFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): TrustedTypePolicy;
}

function allowOwn(url: string): string {
  const { origin, pathname } = new URL(url, window.location.href);
  if (origin !== window.location.origin || !pathname.startsWith("/assets/"))
    throw new TypeError("Only the app's own scripts may run");
  return url;
}

const factory = (window as { readonly trustedTypes?: TrustedTypePolicyFactory }).trustedTypes; // absent in older Firefox and Safari
const policy = factory?.createPolicy("sealpost", { createScriptURL: allowOwn });

/** Starts one of our workers, through the one policy that the page's headers allow. */
export function startWorker(url: string): Worker {
  return new Worker(policy?.createScriptURL(url) ?? allowOwn(url), { type: "module" });
}
