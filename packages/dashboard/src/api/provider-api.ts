import { queryOptions } from "@tanstack/react-query";
import { request } from "./session-api.ts";

/** A person of an identity provider who can sign in to the account. */
export interface LinkedIdentity {
  readonly id: string;
  readonly name: string;
  readonly linkedAt: number;
  readonly usedAt: number | null;
  /** Whether they are of the provider that the operator uses now. */
  readonly isOfProvider: boolean;
}

/** The operator's identity provider, and who of it can sign in to this account. */
export const providerApi = {
  find: (): Promise<{ readonly name: string }> => request("GET", "oidc"),
  /** The page of the provider to go to. */
  begin: async (
    purpose: "sign-in" | "link" | "confirm",
    body: { readonly next?: string | undefined; readonly invitation?: string | undefined },
  ): Promise<string> => (await request<{ readonly url: string }>("POST", `oidc/${purpose}`, body)).url,
  /** The page that signs out there; `null` where that is not wanted. */
  findSignOutPage: async (): Promise<string | null> =>
    (await request<{ readonly url: string | null }>("POST", "oidc/sign-out-page", {})).url,
  list: (): Promise<{ readonly identities: readonly LinkedIdentity[]; readonly hasPassword: boolean }> =>
    request("GET", "identities"),
  unlink: (id: string): Promise<unknown> => request("DELETE", `identities/${id}`, {}),
};

export const providerQuery = queryOptions({
  queryKey: ["identity-provider"],
  queryFn: providerApi.find,
  staleTime: Number.POSITIVE_INFINITY,
});

export const identitiesQuery = queryOptions({ queryKey: ["identities"], queryFn: providerApi.list });
