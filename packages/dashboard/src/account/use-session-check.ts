import { useRef } from "react";
import { mayHaveArrived } from "../api/describe-error.ts";
import { sessionApi } from "../api/session-api.ts";
import { endPage, type SignInReason } from "../session/end-page.ts";

/**
 * For a request that also ends this browser's session, or replaces it: once its answer was lost, what says whether it was done is whether the
 * session is still there. Where it is not, calls `onEnded` and leads to the sign-in, which tells why, before anything else asks for what the session
 * gave. Rejects as the request does.
 */
export function useSessionCheck(reason: SignInReason, onEnded?: () => Promise<void>) {
  const isUnsure = useRef(false);
  async function look(error: unknown): Promise<void> {
    isUnsure.current ||= mayHaveArrived(error);
    if (!isUnsure.current) return;
    // Who can't be reached does not say so; the error of the request is shown.
    const session = await sessionApi.find().catch(() => undefined);
    if (session !== null) return;
    await onEnded?.();
    await endPage(reason);
  }
  return async function check<Result>(request: () => Promise<Result>): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      await look(error);
      throw error;
    }
  };
}
