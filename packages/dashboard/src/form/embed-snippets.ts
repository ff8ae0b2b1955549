import type { Form } from "@sealpost/sdk";
import { text } from "../texts/text.ts";
import type { EmbedFile } from "./embed-file.ts";

export interface Snippets {
  readonly form: string;
  /** The script element and the call that binds the form, which both say the same: without a pin the API's `embedCode`. */
  readonly html: string;
  readonly react: string;
  readonly plain: string;
  /** The sources that a page's Content-Security-Policy must allow. */
  readonly policy: string;
  /** The same as `html` for pages whose policy refuses inline scripts. */
  readonly strict: string;
}

/** An entry of the form's key log to pin in the place of fingerprints, and the script that knows the option. */
export interface SnippetKeyLog {
  readonly pin: string;
  readonly script: EmbedFile;
}

/** The parts of snippets. */
export type SnippetForm = Pick<Form, "id" | "embedCode"> & { readonly settings: Pick<Form["settings"], "encryption"> };

/** For the owner's own project; the dashboard itself does not use it. */
const embedPackage = "@sealpost/embed";

/**
 * Code for the owner's own page. `fingerprints` are the keys that it shall accept, none for whatever key the server names;
 * every variant that seals gets them, so that choosing another variant never loses the pin. `origin` is the address of this
 * instance. `style` gives the form to start from a look, and only with it does the policy allow a stylesheet. With `keyLog` the page accepts what
 * continues that entry, and no fingerprint is named.
 */
export function createSnippets(
  form: SnippetForm,
  fingerprints: readonly string[],
  origin: string,
  style?: EmbedFile,
  keyLog?: SnippetKeyLog,
): Snippets {
  const { id, embedCode, settings } = form;
  const { sample } = text.forms.embed;
  const { script: ordinary, endpoint = origin } = readEmbedCode(embedCode);
  const isLogged = keyLog !== undefined && settings.encryption;
  const options = isLogged ? { keyLog: keyLog.pin } : createOptions(settings.encryption, fingerprints);
  const script = isLogged
    ? `<script src="${endpoint}${keyLog.script.path}" integrity="${keyLog.script.integrity}" crossorigin="anonymous"`
    : ordinary;
  const reactOptions = Object.entries({ endpoint, ...options }).map(
    ([name, value]) => `\n  ${name}: ${JSON.stringify(value)},`,
  );
  const attribute = Object.keys(options).length === 0 ? "" : ` data-sealpost-options='${JSON.stringify(options)}'`;
  return {
    form: `${style === undefined ? "" : `<link rel="stylesheet" href="${endpoint}${style.path}" integrity="${style.integrity}" crossorigin="anonymous">\n`}<form data-sealpost="${id}" method="dialog"${style === undefined ? "" : ' class="sealpost-form"'}>
  <p data-sealpost-unavailable>${sample.unavailable}</p>
  <p><label>${sample.email} <input name="email" type="email" autocomplete="email" required></label></p>
  <p><label>${sample.message} <textarea name="message" required></textarea></label></p>
  <p><button data-sealpost-submit disabled>${sample.send}</button></p>
  <p data-sealpost-success></p>
  <p data-sealpost-error></p>
</form>`,
    html: `${script} data-sealpost="${id}"${attribute}></script>\n<script>Sealpost.init(${JSON.stringify(id)}, ${JSON.stringify(options)});</script>`,
    react: `${isLogged ? `import "${embedPackage}/key-log";\n` : ""}import { SealpostForm } from "${embedPackage}/react";

const options = {${reactOptions.join("")}
};

export function Contact() {
  return (
    <SealpostForm formId="${id}" options={options}>
      <label>${sample.message} <textarea name="message" required /></label>
      <button>${sample.send}</button>
    </SealpostForm>
  );
}`,
    plain: `<form action="${endpoint}/f/${id}" method="post" accept-charset="utf-8">
  <p><label>${sample.message} <textarea name="message" required></textarea></label></p>
  <template><label hidden>${sample.leaveEmpty} <input name="_gotcha" tabindex="-1" autocomplete="off"></label></template>
  <p><button>${sample.send}</button></p>
</form>`,
    // Only a form that is not sealed may be posted by the browser itself.
    policy: `Content-Security-Policy: script-src 'self' ${endpoint}; connect-src 'self' ${endpoint}${style === undefined ? "" : `; style-src 'self' ${endpoint}`}${settings.encryption ? "" : `; form-action 'self' ${endpoint}`}`,
    strict: `${script}\n  data-sealpost="${id}"${attribute}></script>`,
  };
}

/** Options that the page itself must set, because no answer of the service can. A pin on a form that is not sealed contradicts itself. */
function createOptions(isSealed: boolean, fingerprints: readonly string[]) {
  if (!isSealed) return { encryption: false };
  return fingerprints.length === 0
    ? {}
    : { keyFingerprint: fingerprints.length === 1 ? fingerprints[0] : fingerprints };
}

/** The script element of the server's `embedCode`, still open for attributes, and the address that it is loaded from. */
function readEmbedCode(embedCode: string): { readonly script: string; readonly endpoint: string | undefined } {
  return {
    script: /^<script src="[^"]*" integrity="[^"]*" crossorigin="anonymous"/.exec(embedCode)?.[0] ?? "<script",
    endpoint: /src="(https?:\/\/[^"/]+)\/embed\//.exec(embedCode)?.[1],
  };
}
