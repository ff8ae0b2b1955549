import type { FormId } from "@sealpost/wire";

/** The newest embed script, as its build describes it. */
export interface EmbedScript {
  readonly file: string;
  /** Subresource integrity value, `sha384-…`. */
  readonly integrity: string;
}

/**
 * The snippet that a site's owner pastes: the script by its immutable name with its hash, and the call that binds the
 * form. The script's attributes say the same as the call: where an optimiser defers the script, the call comes too early. Only the snippet
 * itself can say that a form is not sealed; no answer of the service can (contract, section 7.3).
 */
export function createEmbedCode(
  baseUrl: string,
  script: EmbedScript,
  form: { readonly id: FormId; readonly encryption: boolean },
  /** Fingerprint of the key that the page shall accept; any where it is left out. */
  pin?: string,
): string {
  const options = { ...(!form.encryption && { encryption: false }), ...(pin !== undefined && { keyFingerprint: pin }) };
  const attribute = Object.keys(options).length === 0 ? "" : ` data-sealpost-options='${JSON.stringify(options)}'`;
  return [
    `<script src="${baseUrl}/embed/${script.file}" integrity="${script.integrity}" crossorigin="anonymous" data-sealpost="${form.id}"${attribute}></script>`,
    `<script>Sealpost.init(${JSON.stringify(form.id)}, ${JSON.stringify(options)});</script>`,
  ].join("\n");
}
