import { ownMembers } from "./own-members.ts";
import { page } from "./page.ts";
import { answerMilliseconds } from "./service.ts";

/**
 * A script that only some pages need, loaded when a visitor turns to the form. Its file name and integrity are part of the first
 * script, so a changed one is refused by the browser.
 */
export interface SecondScript {
  /** Once a request for it has hung, followed by a question mark. */
  file: string;
  readonly integrity: string;
}

const loading: Record<symbol, Promise<unknown>> = {};

/**
 * What `script` leaves in the window under `mark`: a symbol, so that no element of the page can take its place. Loaded once, tried again
 * when that failed. Rejects if it cannot be had.
 */
export async function loadSecondScript<Value>(
  scriptFolder: string,
  mark: symbol,
  script: SecondScript,
): Promise<Value> {
  if (!(mark in window)) {
    loading[mark] ??= loadScript(scriptFolder, script).finally(() => delete loading[mark]);
    await loading[mark];
  }
  return (window as unknown as Readonly<Record<symbol, Value>>)[mark] as Value; // it was just asked
}

function loadScript(scriptFolder: string, script: SecondScript): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const element = page().createElement("script");
    const src = trusted(scriptFolder + script.file);
    Object.assign(element, { ...script, src, crossOrigin: "", onload: resolve, onerror: reject });
    page().head.append(element);
    // A connection that hangs is no event. What has been loaded by then no longer needs its element.
    setTimeout(() => {
      element.remove();
      // To the same address Chromium would join the next try to the request that hangs.
      script.file += "?";
      reject(script);
    }, answerMilliseconds);
  });
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: Convert }): { createScriptURL: Convert };
}
type Convert = (address: string) => string;

let policy: { createScriptURL: Convert } | undefined;

/** Under `require-trusted-types-for 'script'` the address of a script has to come from a named policy: ours is `sealpost`. */
function trusted(address: string): string {
  const types = (window as { readonly trustedTypes?: TrustedTypes }).trustedTypes;
  // Once: a policy of the same name may not be made again.
  policy ??= types?.createPolicy("sealpost", ownMembers({ createScriptURL: (ownAddress: string) => ownAddress }));
  return policy?.createScriptURL(address) ?? address;
}
