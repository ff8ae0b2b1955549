import type { FastifyInstance } from "fastify";
import type { Clock } from "../time/clock.ts";

/** Well below the year that RFC 9116, section 2.5.5, recommends at most. */
const validDays = 180;
const dayMilliseconds = 86_400_000;
const path = "/.well-known/security.txt";

export interface SecurityTextRouteDependencies {
  readonly clock: Clock;
  readonly address: { readonly baseUrl: () => string };
  /** The operator's addresses, the preferred one first; at least one. */
  readonly contacts: readonly string[];
}

/** `GET /.well-known/security.txt`: where to report a vulnerability of this instance (RFC 9116). Without contacts it is not registered. */
export function createSecurityTextRoutes({ clock, address, contacts }: SecurityTextRouteDependencies) {
  return async (app: FastifyInstance): Promise<void> => {
    app.route({
      method: "GET",
      url: path,
      config: { access: "public" },
      schema: { hide: true },
      handler: async (_request, reply) =>
        reply
          .header("cache-control", "public, max-age=3600")
          .type("text/plain; charset=utf-8")
          .send(formatSecurityText(contacts, address.baseUrl(), clock.now())),
    });
  };
}

/** The same text for the whole of a UTC day: anyone who compares copies sees a change only where there is one. */
export function formatSecurityText(contacts: readonly string[], baseUrl: string, now: number): string {
  const expires = (Math.floor(now / dayMilliseconds) + validDays) * dayMilliseconds;
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${new Date(expires).toISOString()}`,
    // The RFC takes no other address.
    ...(baseUrl.startsWith("https://") ? [`Canonical: ${baseUrl}${path}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}
