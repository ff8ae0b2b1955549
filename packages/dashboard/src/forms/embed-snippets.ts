import type { Form } from "@sealpost/receiver";

export interface Snippets {
  readonly form: string;
  readonly react: string;
  /** `undefined` while the fingerprint is unknown, and for forms that are not sealed. */
  readonly pinned: string | undefined;
  readonly plain: string;
  readonly policy: string;
}

/** For the owner's own project; the dashboard itself does not use it. */
const embedPackage = "@sealpost/embed";

/** Code for the owner's own page, beside the `embedCode` that the server writes. `origin` is the address of this instance. */
export function createSnippets(form: Form, fingerprint: string | undefined, origin: string): Snippets {
  const { id, embedCode, settings } = form;
  const endpoint = findEndpoint(embedCode) ?? origin;
  const plainOption = settings.encryption ? "" : "\n      encryption: false,";
  return {
    form: `<form data-sealpost="${id}">
  <label>E-mail <input name="email" type="email" required></label>
  <label>Message <textarea name="message" required></textarea></label>
  <button>Send</button>
</form>`,
    react: `import { useEffect, useRef } from "react";
import { init } from "${embedPackage}";

export function Contact() {
  const form = useRef(null);
  useEffect(() => {
    const sealpost = init("${id}", {
      form: form.current,
      endpoint: "${endpoint}",${plainOption}
    });
    return () => sealpost.destroy();
  }, []);
  return (
    <form ref={form}>
      <label>Message <textarea name="message" required /></label>
      <button>Send</button>
    </form>
  );
}`,
    pinned: settings.encryption && fingerprint !== undefined ? pinFingerprints(embedCode, [fingerprint]) : undefined,
    plain: `<form action="${endpoint}/f/${id}" method="post">
  <label>Message <textarea name="message" required></textarea></label>
  <input name="_gotcha" tabindex="-1" autocomplete="off" hidden>
  <button>Send</button>
</form>`,
    policy: `script-src ${endpoint}; connect-src ${endpoint}`,
  };
}

function findEndpoint(embedCode: string): string | undefined {
  return /src="(https?:\/\/[^"/]+)\/embed\//.exec(embedCode)?.[1];
}

/** The embed code with the fingerprints that the form's key may have; one as a text, several as a list. */
export function pinFingerprints(embedCode: string, fingerprints: readonly string[]): string {
  const value = JSON.stringify(fingerprints.length === 1 ? fingerprints[0] : fingerprints);
  return embedCode.replace(", {});</script>", () => `, { keyFingerprint: ${value} });</script>`);
}
