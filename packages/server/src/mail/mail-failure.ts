/** Why a mail did not arrive. */
export interface MailFailure {
  /** The addresses that it did not arrive at. */
  readonly to: readonly string[];
  /** Addresses that are not tried again, with the mail server's last answer about each. */
  readonly refused: readonly string[];
  /** The mail server's, or ours. */
  readonly sentence: string;
}

export const nobodyNow = "Nobody can get it at this time: each owner is disabled, or has not verified the address";

const sentenceLengthMax = 300;

/** Our own sentences, by the code of nodemailer: of these the server said nothing, or may have repeated who signs in. */
const ownSentences: Readonly<Record<string, string>> = {
  EAUTH: "The mail server refuses user or password: look at SEALPOST_SMTP_URL",
  ETLS: "The mail server does not offer STARTTLS: look at SEALPOST_SMTP_URL",
  EDNS: "The name of the mail server does not resolve",
  ECONNECTION: "The mail server cannot be reached",
  ESOCKET: "The connection to the mail server failed",
  ETIMEDOUT: "The mail server did not answer in time",
};

/**
 * What a mail server said about a mail, in one line. A server may repeat what it was given, so links, and whatever is as long as
 * the secret in one, are taken out.
 */
export function quoteServer(error: unknown): string {
  const { code, response } = Object(error) as { readonly code?: unknown; readonly response?: unknown }; // any object has optional members
  const own = typeof code === "string" && Object.hasOwn(ownSentences, code) ? ownSentences[code] : undefined;
  if (own !== undefined) return own;
  if (typeof response !== "string" || response.trim() === "") return "The mail server did not answer in time";
  return response
    .replaceAll(/\bhttps?:\S+/gi, "[link]")
    .replaceAll(/[\w-]{24,}/g, "[…]")
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, sentenceLengthMax);
}
