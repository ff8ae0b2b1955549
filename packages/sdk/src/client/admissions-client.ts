import type { Body, CallOptions, Calls } from "./call.ts";

/**
 * Bringing people into the organization's signed list. `@sealpost/envelope` makes and opens admissions; their links must not reach the service. All of
 * it wants a session token.
 */
export function createAdmissionsClient({ call }: Calls) {
  const path = (admissionId: string) => ({ admission_id: admissionId });
  return {
    /** The open ones, the oldest first. */
    list: async (options?: CallOptions) => (await call("GET /api/admissions", {}, options)).admissions,
    /** For owners and managers, with its answer. */
    get: (admissionId: string, options?: CallOptions) =>
      call("GET /api/admissions/{admission_id}", { path: path(admissionId) }, options),
    /** Stores terms that one has signed. */
    create: (body: Body<"POST /api/admissions">, options?: CallOptions) =>
      call("POST /api/admissions", { body }, options),
    /** Takes one back. */
    revoke: async (admissionId: string, options?: CallOptions): Promise<void> => {
      await call("DELETE /api/admissions/{admission_id}", { path: path(admissionId) }, options);
    },
    /** Refuses an answer that was not made with the link. */
    refuse: async (admissionId: string, options?: CallOptions): Promise<void> => {
      await call("POST /api/admissions/{admission_id}/refusal", { path: path(admissionId) }, options);
    },
    /** Those that are for oneself, the newest first: for who has the words of one, and no link. */
    listOwn: async (options?: CallOptions) => (await call("GET /api/account/admissions", {}, options)).admissions,
    /** For the person whom it is for: the terms, and the newest page of the list to verify them with, or the page that has `entry`. */
    getOwn: (admissionId: string, { entry, ...options }: CallOptions & { readonly entry?: number | undefined } = {}) =>
      call(
        "GET /api/account/admissions/{admission_id}",
        { path: path(admissionId), ...(entry !== undefined && { query: { entry } }) },
        options,
      ),
    /** The person's answer, with the public halves of their own key. */
    answer: async (
      admissionId: string,
      body: Body<"POST /api/account/admissions/{admission_id}/answer">,
      options?: CallOptions,
    ): Promise<void> => {
      const request = { path: path(admissionId), body };
      await call("POST /api/account/admissions/{admission_id}/answer", request, options);
    },
  };
}
