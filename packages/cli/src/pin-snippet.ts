/**
 * The server's `embedCode` with the key that its page shall accept, or with several. It is said twice, as all of the snippet is: in the script's attribute, which
 * alone counts where an optimiser defers the script, and in the call. `undefined` for a snippet of another shape.
 */
export function pinSnippet(embedCode: string, formId: string, pinned: string | readonly string[]): string | undefined {
  const options = JSON.stringify({ keyFingerprint: pinned });
  const [attribute, call] = [`data-sealpost="${formId}"`, `Sealpost.init("${formId}", `];
  if (!embedCode.includes(`${attribute}></script>`) || !embedCode.includes(`${call}{});`)) return undefined;
  return embedCode
    .replace(`${attribute}>`, () => `${attribute} data-sealpost-options='${options}'>`)
    .replace(`${call}{}`, () => `${call}${options}`);
}

/** Where a pin is written in a page by hand. */
export const howToPin = "in the script's attribute data-sealpost-options, as JSON, and in the call of Sealpost.init";
