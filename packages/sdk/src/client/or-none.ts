import { ApiError } from "./api-error.ts";

/** The answer, or `undefined` where the server says that there is no such thing (404). */
export async function orNone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
