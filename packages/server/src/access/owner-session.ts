import type { Principal } from "./principal.ts";

/** An owner with a session. An API key of an owner may have been stolen, and counts as anybody's. */
export function isOwnerWithSession(principal: Principal): boolean {
  return principal.kind === "session" && principal.role === "owner";
}
