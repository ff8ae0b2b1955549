import { text } from "../texts/text.ts";
import { ErrorNotice } from "../ui/notice.tsx";

/** While not all forms are there, or why they never will be. */
export function FormsLoading({ error }: { readonly error: Error | null }) {
  return error === null ? <p role="status">{text.common.loading}</p> : <ErrorNotice error={error} />;
}
