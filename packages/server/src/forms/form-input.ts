import { generateKeyPair, type KeyPair, type PublicKey, parsePublicKey } from "@sealpost/wire";
import { Problem } from "../problem.ts";
import type { CheckWebhookUrl } from "../webhooks/webhook-url.ts";
import { type Form, parseName, parseOrigin } from "./form.ts";
import { publicMembersDropped, type SettingsInput } from "./form-schemas.ts";

/** The message of every 400 on create and update (interface.md 7.1). */
export const invalidFormSettings = "Invalid form settings";

/** The trimmed name; a 400 for one that a form can't have. */
export function requireName(text: string): string {
  const parsed = parseName(text);
  if ("fault" in parsed) throw new Problem("bad_request", invalidFormSettings, { details: { name: parsed.fault } });
  return parsed.name;
}

/** Settings as they are stored: origins as browsers write them, the webhook URL judged. Only what was given is in the result. */
export function createParseSettings(checkWebhookUrl: CheckWebhookUrl) {
  // Half a character would be stored as another one than was sent.
  const checkUrl: CheckWebhookUrl = async (text) =>
    text.isWellFormed() ? checkWebhookUrl(text) : { ok: false, message: "Must be a valid HTTPS URL" };
  return async (input: SettingsInput): Promise<Partial<Form["settings"]>> => {
    const { webhookUrl, allowedOrigins, ...flags } = input;
    const details: Record<string, string> = {};
    const origins = allowedOrigins?.map((text, index) => {
      const origin = parseOrigin(text);
      if (origin === undefined)
        details[`settings.allowedOrigins.${index}`] =
          "Must be *, an origin like https://example.com, or https://*.example.com";
      return origin ?? text;
    });
    const checked = typeof webhookUrl === "string" ? await checkUrl(webhookUrl) : undefined;
    if (checked?.ok === false) details["settings.webhookUrl"] = checked.message;
    if (Object.keys(details).length > 0) throw new Problem("bad_request", invalidFormSettings, { details });
    return {
      ...flags,
      ...(origins && { allowedOrigins: [...new Set(origins)] }),
      ...(webhookUrl !== undefined && { webhookUrl: checked?.ok ? checked.url : null }),
    };
  };
}

/**
 * The caller's own public key, or a fresh pair whose private half goes into the answer and nowhere else. `invalidMessage`
 * is what the route says of bad input.
 */
export async function createPair(
  ownKey: unknown,
  invalidMessage: string,
): Promise<KeyPair | { readonly publicKey: PublicKey }> {
  if (ownKey === undefined) return generateKeyPair();
  const publicKey = parsePublicKey(dropPublicMembers(ownKey));
  if (typeof publicKey === "string") throw new Problem("bad_request", invalidMessage, { details: { publicKey } });
  return { publicKey };
}

/**
 * The key without what WebCrypto and other programs write beside a public key (RFC 7517, section 4). None of it is kept:
 * a form's key is kty, n and e. What is left over, private members above all, is for `parsePublicKey` to refuse.
 */
function dropPublicMembers(key: unknown): unknown {
  if (typeof key !== "object" || key === null) return key;
  return Object.fromEntries(Object.entries(key).filter(([name]) => !publicMembersDropped.includes(name)));
}

/** All four settings, as get, create and update show them. */
export function toSettingsBody({ encryption, piiStrip, webhookUrl, allowedOrigins }: Form["settings"]) {
  return { encryption, piiStrip, webhookUrl, allowedOrigins: [...allowedOrigins] };
}
