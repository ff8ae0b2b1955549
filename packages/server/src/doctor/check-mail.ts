import type { Config } from "../config/config.ts";
import { createOwnAddress } from "../instance/own-address.ts";
import { createMailClient } from "../mail/mail-client.ts";
import { type Finding, ok, problem } from "./finding.ts";

/** The path of emails to the mail server, sign-in included. No email is sent. */
export async function checkMail(config: Config): Promise<readonly Finding[]> {
  if (config.mail === undefined) return [];
  const { target, from } = config.mail;
  const place = `${target.host} port ${target.port}`;
  try {
    const { baseUrl } = createOwnAddress(config);
    // No mail is sent that could have a link.
    await createMailClient({ target, from, baseUrl, unsubscribeUrl: baseUrl }).greet();
    return [ok("mail", `The mail server at ${place} takes our emails`)];
  } catch (error) {
    return [problem("mail", `The mail server at ${place} cannot be used: ${explain(error)}`, remedyFor(error))];
  }
}

/** Without what the server said: it may repeat the user's name. */
function explain(error: unknown): string {
  const { code, message } = read(error);
  if (code === "EAUTH") return "it refuses user or password";
  if (code === "ETLS") return "it does not offer STARTTLS";
  if (code === "ESOCKET" || code === "EDNS") return message; // of this machine's own network
  return code === "" || code === "ETIMEDOUT" ? "no answer in time" : code;
}

function remedyFor(error: unknown): string {
  const { code, message } = read(error);
  if (code === "EAUTH")
    return "Correct user and password in SEALPOST_SMTP_URL; write @, : and / in them as %40, %3A and %2F";
  if (/certificate/i.test(message))
    return "Name the host as its certificate does; NODE_EXTRA_CA_CERTS names an authority of your own";
  if (code === "ETLS")
    return "Use the port that offers TLS: 465 with smtps://, 587 with smtp://; ?tls=off is for a relay on the same network";
  return "Look at host and port in SEALPOST_SMTP_URL, whether the server runs, and whether a firewall is between";
}

function read(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: "", message: "" };
  return { code: "code" in error ? String(error.code) : "", message: error.message };
}
