import type { PersonTable } from "../database/account-tables.ts";

/**
 * What a restore does about each column of a person: the list by which it names those whom the backup gives, or leaves, another right than others;
 * or why nobody is named.
 */
export const restoredPersonColumns = {
  operator_since: { named: "operators" },
  disabled_at: { named: "disabled" },
  leaves_at: { named: "deletions" },
  id: { unnamed: "names the person" },
  email: { unnamed: "an address that was changed is named by its move" },
  name: { unnamed: "a text" },
  second_factor_enabled: { unnamed: "the apps for codes are counted" },
  email_verified: { unnamed: "the address stays proven: its owner answered, and a move is named" },
  verification: { unnamed: "asks for a proof, and lets nobody in" },
  joined_at: { unnamed: "the membership is a row, which is named" },
  created_at: { unnamed: "a moment" },
  updated_at: { unnamed: "a moment" },
  image: { unnamed: "never written" },
  sign_up_slot: { unnamed: "says who was first" },
} as const satisfies Readonly<
  Record<
    keyof PersonTable | "image" | "sign_up_slot",
    { readonly named: "operators" | "disabled" | "deletions" } | { readonly unnamed: string }
  >
>;
