import { decodeBase64, isId } from "@sealpost/wire";
import type { WebhookEvent } from "./event.ts";

/**
 * The secret of the only form that posts here, or those of each form by its id. Several of a form during a rotation, the new one and
 * earlier ones; a single one is enough, since the service tries all that are valid.
 */
export type WebhookSecrets = string | { readonly [formId: string]: string | readonly string[] };

/** The secrets, copied and checked. */
export interface ParsedSecrets {
  readonly all: readonly string[];
  /** The secrets of the form that an event names. The secret of another form does not count. */
  of(event: WebhookEvent): readonly string[];
}

/** Throws a TypeError that shows no secret: one that is not well-formed would never fit anything, and the receiver would refuse in silence. */
export function parseSecrets(secrets: unknown): ParsedSecrets {
  if (typeof secrets === "string") {
    const all = [parseSecret(secrets, "secrets")];
    return { all, of: () => all };
  }
  if (typeof secrets !== "object" || secrets === null || Array.isArray(secrets) || Object.keys(secrets).length === 0)
    throw new TypeError(
      "secrets must be the webhook secret of one form, or an object with those of each form by its id",
    );
  const forms = new Map(Object.entries(secrets).map(([formId, own]) => [formId, parseForm(formId, own)]));
  const all = [...forms.values()].flat();
  if (new Set(all).size < all.length) throw new TypeError("secrets has one secret twice: each belongs to one form");
  return { all, of: (event) => forms.get(formIdOf(event) ?? "") ?? [] };
}

function parseForm(formId: string, own: unknown): readonly string[] {
  // Not shown: it could be a secret that came to the place of the id.
  if (!isId("form", formId)) throw new TypeError("secrets has a name that is not the id of a form, form_…");
  if (typeof own === "string") return [parseSecret(own, `secrets.${formId}`)];
  if (!Array.isArray(own) || own.length === 0) throw new TypeError(`secrets.${formId} has no webhook secret`);
  return own.map((secret, index) => parseSecret(secret, `secrets.${formId}[${index}]`));
}

function parseSecret(secret: unknown, name: string): string {
  const bytes = typeof secret === "string" && secret.startsWith("whsec_") ? decodeBase64(secret.slice(6)) : undefined;
  // Standard Webhooks: 24 to 64 bytes. Fewer means that a part is missing.
  if (typeof secret !== "string" || bytes === undefined || bytes.length < 24)
    throw new TypeError(`${name} is not a webhook secret: whsec_ and base64, without blanks or line breaks`);
  return secret;
}

/** The form's id also of an event that this version does not know; `undefined` where it names none. */
function formIdOf(event: WebhookEvent): string | undefined {
  if (event.event !== "unknown") return event.form.id;
  const { form } = event.body;
  const id: unknown = typeof form === "object" && form !== null && "id" in form ? form.id : undefined;
  return typeof id === "string" ? id : undefined;
}
