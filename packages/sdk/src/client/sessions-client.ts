import type { CallOptions, Calls } from "./call.ts";

/** Where the person who asks is signed in. These endpoints want a session token. */
export function createSessionsClient({ call }: Calls) {
  return {
    /** The newest first, with a coarse name of the browser. */
    list: (options?: CallOptions) => call("GET /api/sessions", {}, options),
    /** It and its tokens are refused from the next request on. */
    end: async (sessionId: string, options?: CallOptions): Promise<void> => {
      await call("DELETE /api/sessions/{session_id}", { path: { session_id: sessionId } }, options);
    },
    /** Ends all but the one that asks. How many there were. */
    endOthers: async (options?: CallOptions) => (await call("POST /api/sessions/end-others", {}, options)).ended,
  };
}
