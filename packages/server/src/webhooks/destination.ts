import { hostOf } from "./webhook-url.ts";

/**
 * Where one organization's deliveries go: a host, as that organization uses it. Organizations that send to the same host, such
 * as that of an automation service, share neither limits nor a place in the queue (docs/decisions/0045-destinations.md). Its
 * text, `organizationId host:port`, is the key of both: an organization's destinations stand together, so that a walk along them can pass over the rest.
 */
export function destinationOf(url: URL, organizationId: string): string {
  return `${organizationId} ${hostOf(url)}`;
}

/** Neither has a space. */
export function partsOf(destination: string): { readonly host: string; readonly organizationId: string } {
  const end = destination.indexOf(" ");
  return { host: destination.slice(end + 1), organizationId: destination.slice(0, end) };
}

/** Sorts after all destinations of an organization and before those of the next one, compared by code units. */
export function endOf(organizationId: string): string {
  return `${organizationId}!`;
}
