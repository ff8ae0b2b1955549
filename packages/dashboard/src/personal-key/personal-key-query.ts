import type { PublicHalves } from "@sealpost/envelope";
import { queryOptions } from "@tanstack/react-query";

export interface KeyCopy {
  readonly id: string;
  readonly way: "passphrase" | "passkey" | "sheet" | "device";
  readonly name: string;
  readonly createdAt: number;
  readonly removedAt: number | null;
}

export interface StoredPersonalKey {
  readonly halves: PublicHalves;
  readonly copies: readonly KeyCopy[];
}

/** The person's key as the server has it: `null` while they have none. */
export const personalKeyQuery = queryOptions({
  queryKey: ["personal-key"],
  queryFn: async ({ signal }): Promise<StoredPersonalKey | null> => {
    const response = await fetch("/api/account/personal-key", { signal });
    if (response.status === 404) return null;
    const { recipient, signingKey, copies } = await response.json();
    return { halves: { recipient, signingKey }, copies };
  },
});
