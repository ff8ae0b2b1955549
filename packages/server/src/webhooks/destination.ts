import { hostOf } from "./webhook-url.ts";

/**
 * Where one organization's deliveries go: a host, as that organization uses it. Organizations that send to the same host, such
 * as that of an automation service, share neither limits nor a place in the queue (docs/decisions/0045-destinations.md). Its
 * text, `host:port organizationId`, is the key of both.
 */
export function destinationOf(url: URL, organizationId: string): string {
  return `${hostOf(url)} ${organizationId}`;
}

/** Neither has a space. */
export function partsOf(destination: string): { readonly host: string; readonly organizationId: string } {
  const end = destination.indexOf(" ");
  return { host: destination.slice(0, end), organizationId: destination.slice(end + 1) };
}
