import { ApiError } from "@sealpost/sdk";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { mayHaveArrived, noteChange } from "./describe-error.ts";

const roleCodes = ["organization_none", "role_insufficient", "second_factor_required"];

/** Whether the role was in the way: it is another one than the page knew, or the membership has ended. */
export function isRoleError(error: unknown): boolean {
  return error instanceof ApiError && roleCodes.includes(error.reason ?? "");
}

/** Whether the session acts for another organization by now than the one that this page shows. */
function isOrganizationError(error: ApiError): boolean {
  return error.reason === "organization_changed";
}

/**
 * Calls `onSessionEnded` when any request is answered 401: the session was ended here or elsewhere. Calls `onRoleChanged` when
 * one is refused because of the role, and `onOrganizationChanged` when this page shows another organization than the session acts for.
 */
export function createQueryClient(
  onSessionEnded: () => void,
  onRoleChanged: () => void,
  onOrganizationChanged: () => void,
): QueryClient {
  const onError = (error: unknown) => {
    if (!(error instanceof ApiError)) return;
    if (error.status === 401) onSessionEnded();
    if (isRoleError(error)) onRoleChanged();
    if (isOrganizationError(error)) onOrganizationChanged();
  };
  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        // At sign-in 401 means a wrong password, and there is no session to end.
        if (mutation.meta?.isSignIn !== true) onError(error);
        if (!mayHaveArrived(error)) return;
        if (mutation.meta?.changesNothing !== true) noteChange(error);
        void showWhatIs(queryClient);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: "always",
        refetchOnReconnect: true, // off by default in this mode
        retry: (failures, error) => failures < 2 && isWorthRetrying(error),
        retryDelay: (attempt) => 300 * 2 ** attempt,
      },
      // Passwords, words and private keys may be among the variables: they leave the memory with the page or dialog that sent it.
      mutations: { networkMode: "always", gcTime: 0 },
    },
  });
  return queryClient;
}

/**
 * Reads again all that is shown: after an answer that was lost people press Cancel, or the same button, by what they see. What is read once, such as
 * what a link with a secret leads to, stays.
 */
function showWhatIs(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ observers }) => observers.some(({ options }) => options.staleTime !== Number.POSITIVE_INFINITY),
  });
}

/** Not what was refused, and not what took half a minute to fail: the person decides how long to wait. */
function isWorthRetrying(error: unknown): boolean {
  if (error instanceof DOMException && error.name === "TimeoutError") return false;
  return !(error instanceof ApiError && error.status < 500);
}
