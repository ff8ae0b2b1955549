import type { FollowedList, FollowReason, ListReason } from "@sealpost/envelope";

// Each has a sentence in `texts`.

/**
 * Why a list may not be used. `own_key_differs`: it has another key for the person than the one that is open. `wrong_head`: the person has not signed what
 * the server shows as their signed head.
 */
export type ListRefusal = Extract<FollowedList, { kind: "refused" }>["reason"] | "own_key_differs" | "wrong_head";

/** Why an envelope may not be used. `moved_form`: this browser has seen the form in another organization. */
export type EnvelopeRefusal = FollowReason | "moved_form";

/**
 * Why a recovery key is of no use here. `foreign`: the list has another one, or none. `reads_only`: it may not sign. `no_list`: there is nothing to
 * recover. `hidden_list`: there was a list. `wrong_head`: the server shows as signed by the person what is not.
 */
export type RecoveryRefusal = ListReason | "foreign" | "reads_only" | "no_list" | "hidden_list" | "wrong_head";
