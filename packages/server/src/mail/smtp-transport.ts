import { createTransport } from "nodemailer";
import type { SmtpTarget } from "../config/smtp-target.ts";

/** Connections to the mail server. `name` is what we say hello with: the library's default is the machine's. */
export function createSmtpTransport({ host, port, tls, login }: SmtpTarget, name: string, ca: string | undefined) {
  return createTransport({
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "off",
    name,
    ...(login && { auth: { user: login.user, pass: login.password } }),
    tls: { minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) },
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

export type SmtpTransport = ReturnType<typeof createSmtpTransport>;
