import { useMutation } from "@tanstack/react-query";
import { orArrived } from "../api/attempt.ts";
import { sessionApi } from "../api/session-api.ts";
import { tellSignedOut } from "../browser/session-channel.ts";
import { leavePage, lockAllKeys } from "../session/end-page.ts";
import { hasProvider } from "../session/session.ts";

/**
 * Ends the session, and forgets every key that was open or kept in this browser, even when the server can't be reached. Then
 * `leave` leads to another page, for somebody who is signed out.
 */
export function useSignOut(leave: () => Promise<never>) {
  return useMutation({
    mutationFn: async () => {
      lockAllKeys();
      const page = hasProvider() ? await findProviderPage() : null;
      const isForgotten = await forgetAll();
      const putHeadsBack = isForgotten ? undefined : await takeHeads();
      await orArrived(
        () => sessionApi.signOut(isForgotten),
        async () => (await sessionApi.find()) === null,
      );
      await putHeadsBack?.().catch(() => undefined);
      tellSignedOut();
      return page;
    },
    onSuccess: (page) => (page === null ? leave() : leavePage(page)),
    meta: { endsSession: true },
  });
}

/**
 * Deletes what this browser keeps, but for the newest lists and envelopes that it has seen, by which older ones are recognized: they are deleted by no
 * sign-out, wherever it is cut off. `false` where a browser does not say that all is gone: the service has it delete everything then.
 */
async function forgetAll(): Promise<boolean> {
  const { forgetAllKeys } = await import("../keys/keyring.ts");
  if (!(await forgetAllKeys())) return false;
  try {
    const { forgetLists } = await import("../envelopes/head-store.ts");
    await forgetLists();
    localStorage.clear();
    sessionStorage.clear();
    return true;
  } catch {
    return false;
  }
}

/** Reads the heads; the result puts them back once the browser has deleted everything. Without the program for it, or where nothing can be kept, they go as well. */
async function takeHeads(): Promise<() => Promise<void>> {
  try {
    const heads = await import("../envelopes/head-store.ts");
    return await heads.takeHeads();
  } catch {
    return async () => {};
  }
}

/** Where signing out there as well is wanted: its page. Who signs out is signed out here whatever the provider does. */
async function findProviderPage(): Promise<string | null> {
  const { providerApi } = await import("../api/provider-api.ts");
  return providerApi.findSignOutPage().catch(() => null);
}
