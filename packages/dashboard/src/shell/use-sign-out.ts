import { useMutation, useQueryClient } from "@tanstack/react-query";
import { sessionApi } from "../api/session-api.ts";
import { lockInAllTabs } from "../personal-key/key-channel.ts";
import { hasProvider, sessionQuery } from "../session/session.ts";
import { tellSignedOut } from "./sign-out-channel.ts";

/**
 * Ends the session, and forgets every key that was open or kept in this browser, even when the server can't be reached. Then
 * `leave` leads to a page for somebody who is signed out.
 */
export function useSignOut(leave: () => void | Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      lockInAllTabs();
      const { forgetAllKeys } = await import("../keys/keyring.ts");
      await forgetAllKeys();
      const page = hasProvider() ? await findProviderPage() : null;
      await sessionApi.signOut();
      tellSignedOut();
      return page;
    },
    onSuccess: async (page) => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, null);
      if (page === null) await leave();
      else window.location.assign(page);
    },
  });
}

/** Where signing out there as well is wanted: its page. Who signs out is signed out here whatever the provider does. */
async function findProviderPage(): Promise<string | null> {
  const { providerApi } = await import("../api/provider-api.ts");
  return providerApi.findSignOutPage().catch(() => null);
}
