import type { Form } from "@sealpost/receiver";

export interface Snippets {
  readonly form: string;
  readonly react: string;
  /** `undefined` while the fingerprint is unknown, and for forms that are not sealed. */
  readonly pinned: string | undefined;
  readonly plain: string;
  /** What a page's Content-Security-Policy must allow. */
  readonly policy: string;
  /** The embed code for pages whose policy refuses inline scripts. */
  readonly strict: string;
}

/** For the owner's own project; the dashboard itself does not use it. */
const embedPackage = "@sealpost/embed";

/** Code for the owner's own page, beside the `embedCode` that the server writes. `origin` is the address of this instance. */
export function createSnippets(form: Form, fingerprint: string | undefined, origin: string): Snippets {
  const { id, embedCode, settings } = form;
  const endpoint = findEndpoint(embedCode) ?? origin;
  const plainOption = settings.encryption ? "" : "\n  encryption: false,";
  return {
    form: `<form data-sealpost="${id}" method="dialog">
  <p data-sealpost-unavailable>Loading. If this stays, the form could not be loaded.</p>
  <p><label>E-mail <input name="email" type="email" required></label></p>
  <p><label>Message <textarea name="message" required></textarea></label></p>
  <p><button data-sealpost-submit disabled>Send</button></p>
</form>`,
    react: `import { SealpostForm } from "${embedPackage}/react";

const options = {
  endpoint: "${endpoint}",${plainOption}
};

export function Contact() {
  return (
    <SealpostForm formId="${id}" options={options}>
      <label>Message <textarea name="message" required /></label>
      <button>Send</button>
    </SealpostForm>
  );
}`,
    pinned: settings.encryption && fingerprint !== undefined ? pinFingerprints(embedCode, [fingerprint]) : undefined,
    plain: `<form action="${endpoint}/f/${id}" method="post">
  <p><label>Message <textarea name="message" required></textarea></label></p>
  <input name="_gotcha" tabindex="-1" autocomplete="off" hidden>
  <p><button>Send</button></p>
</form>`,
    // Only a form that is not sealed may be posted by the browser itself.
    policy: `Content-Security-Policy: script-src 'self' ${endpoint}; connect-src 'self' ${endpoint}${settings.encryption ? "" : `; form-action 'self' ${endpoint}`}`,
    strict: withoutInlineScript(embedCode, id, settings.encryption),
  };
}

function findEndpoint(embedCode: string): string | undefined {
  return /src="(https?:\/\/[^"/]+)\/embed\//.exec(embedCode)?.[1];
}

/** The embed code without its inline script, which a strict policy would not run: the script element says all of it. */
function withoutInlineScript(embedCode: string, id: string, isSealed: boolean): string {
  const options = isSealed ? "" : ` data-sealpost-options='{"encryption":false}'`;
  return embedCode.replace(/><\/script>[\s\S]*/, () => `\n  data-sealpost="${id}"${options}></script>`);
}

/** The embed code with the fingerprints that the form's key may have; one as a text, several as a list. */
export function pinFingerprints(embedCode: string, fingerprints: readonly string[]): string {
  const value = JSON.stringify(fingerprints.length === 1 ? fingerprints[0] : fingerprints);
  return embedCode.replace(", {});</script>", () => `, { keyFingerprint: ${value} });</script>`);
}
