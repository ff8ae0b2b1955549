import type { AccountId, FormId, PublicKey } from "@sealpost/wire";

export const nameLengthMax = 100;
export const originsMax = 50;

/** Form settings but for the webhook URL, which the `webhook` row holds (interface.md 2.2). */
export interface FormSettings {
  readonly encryption: boolean;
  readonly piiStrip: boolean;
  readonly allowedOrigins: readonly string[];
}

export interface Form {
  readonly id: FormId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly settings: FormSettings & { readonly webhookUrl: string | null };
  readonly keyVersion: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface FormKey {
  readonly version: number;
  readonly publicKey: PublicKey;
  /** RFC 7638 thumbprint, base64url. */
  readonly fingerprint: string;
  readonly createdAt: number;
}

export const defaultSettings: FormSettings = { encryption: true, piiStrip: false, allowedOrigins: ["*"] };

/** The name as it is kept: trimmed, one form per account whatever the case (NFKC, so look-alike widths count as one). */
export function toNameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** `*`, an exact origin, or `https://*.example.com`, in the spelling that browsers send; `undefined` for anything else. */
export function parseOrigin(text: string): string | undefined {
  if (text === "*") return text;
  const wildcard = /^(https?:\/\/)\*\.(.+)$/.exec(text);
  const plain = wildcard === null ? text : `${wildcard[1]}${wildcard[2]}`;
  if (!/^https?:\/\/[^/?#@\\\s]+$/.test(plain) || !URL.canParse(plain)) return undefined;
  const { protocol, host, origin } = new URL(plain);
  if (wildcard === null) return origin;
  // A wildcard below a single label would open a whole top-level domain.
  return protocol === "https:" && /^[^.]+(\.[^.]+)+$/.test(host) && !/^[0-9.:[\]]+$/.test(host)
    ? `https://*.${host}`
    : undefined;
}

/** Whether a browser's `Origin` may post to the form. `null` (a sandboxed page, a file) passes only with `*`. */
export function isOriginAllowed(origin: string, allowedOrigins: readonly string[]): boolean {
  if (allowedOrigins.includes("*")) return true;
  if (!URL.canParse(origin)) return false;
  return allowedOrigins.some((allowed) => {
    if (!allowed.startsWith("https://*.")) return origin === allowed;
    const suffix = allowed.slice("https://*".length);
    return (
      origin.startsWith("https://") && origin.endsWith(suffix) && origin.length > "https://".length + suffix.length
    );
  });
}
