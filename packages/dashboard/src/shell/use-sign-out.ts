import { useMutation, useQueryClient } from "@tanstack/react-query";
import { sessionApi } from "../api/session-api.ts";
import { sessionQuery } from "../session/session.ts";
import { tellSignedOut } from "./sign-out-channel.ts";

/**
 * Ends the session, and forgets every key that was open or kept in this browser, even when the server can't be reached. Then
 * `leave` leads to a page for somebody who is signed out.
 */
export function useSignOut(leave: () => void | Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const { forgetAllKeys } = await import("../keys/keyring.ts");
      await forgetAllKeys();
      await sessionApi.signOut();
      tellSignedOut();
    },
    onSuccess: async () => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, null);
      await leave();
    },
  });
}
