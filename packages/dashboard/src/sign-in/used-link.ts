import { ApiError } from "@sealpost/sdk";

const reasons: readonly (string | undefined)[] = [
  "address_link_unknown",
  "link_used",
  "invitation_unknown",
  "sign_up_closed",
];

/** Whether a link or a set-up address was used up. If it was by the press before, whose answer was lost, then that one has worked. */
export function isUsedLink(error: unknown): boolean {
  return error instanceof ApiError && reasons.includes(error.reason);
}
