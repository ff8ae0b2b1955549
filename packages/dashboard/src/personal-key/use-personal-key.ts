import type { PublicHalves } from "@sealpost/envelope";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { lockPersonalKey, useKeyTab } from "./personal-key.ts";
import { personalKeyQuery } from "./personal-key-query.ts";

export type PersonalKeyState =
  /** Nobody has answered yet, or the server can't be reached: `error` says so. */
  | { readonly kind: "unknown"; readonly error: unknown }
  | { readonly kind: "none" }
  | { readonly kind: "locked" | "open"; readonly halves: PublicHalves };

/** Whether the person has a personal key, and whether it is open in this browser. */
export function usePersonalKey(): PersonalKeyState {
  const tab = useKeyTab();
  const { data, error } = useQuery(personalKeyQuery);
  const open = tab.kind === "open" ? tab.halves : undefined;
  // Not while the server knows of none: the key was made a moment ago.
  const isOther = data?.halves !== undefined && open !== undefined && !isSame(data.halves, open);
  // A person who was signed in here before.
  useEffect(() => {
    if (isOther) lockPersonalKey();
  }, [isOther]);
  if (data === null) return { kind: "none" };
  if (data === undefined || tab.kind === "unknown") return { kind: "unknown", error };
  return { kind: open === undefined || isOther ? "locked" : "open", halves: data.halves };
}

function isSame(one: PublicHalves, other: PublicHalves): boolean {
  return one.recipient === other.recipient && one.signingKey === other.signingKey;
}
