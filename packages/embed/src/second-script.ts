import { page } from "./page.ts";

/**
 * A script that only some pages need, loaded when a visitor turns to the form. Its file name and integrity are part of the first
 * script, so a changed one is refused by the browser.
 */
export interface SecondScript {
  readonly file: string;
  readonly integrity: string;
}

const loading = new Map<symbol, Promise<unknown>>();

/**
 * What `script` leaves in the window under `mark`: a symbol, so that no element of the page can take its place. Loaded once, tried again
 * when that failed. Rejects if it cannot be had.
 */
export async function loadSecondScript<Value>(
  scriptFolder: string,
  mark: symbol,
  script: SecondScript,
): Promise<Value> {
  if (!Reflect.has(window, mark)) {
    if (!loading.has(mark))
      loading.set(
        mark,
        loadScript(scriptFolder, script).finally(() => loading.delete(mark)),
      );
    await loading.get(mark);
  }
  return Reflect.get(window, mark);
}

function loadScript(scriptFolder: string, { file, integrity }: SecondScript): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = page().createElement("script");
    const src = trusted(scriptFolder + file);
    Object.assign(script, { onload: resolve, onerror: reject, crossOrigin: "", integrity, src });
    page().head.append(script);
  });
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: Convert }): { createScriptURL: Convert };
}
type Convert = (address: string) => string;

let policy: { createScriptURL: Convert } | undefined;

/** Under `require-trusted-types-for 'script'` the address of a script has to come from a named policy: ours is `sealpost`. */
function trusted(address: string): string {
  const types: TrustedTypes | undefined = Reflect.get(window, "trustedTypes");
  // Once: a policy of the same name may not be made again.
  policy ??= types?.createPolicy("sealpost", { createScriptURL: (ownAddress) => ownAddress });
  return policy?.createScriptURL(address) ?? address;
}
