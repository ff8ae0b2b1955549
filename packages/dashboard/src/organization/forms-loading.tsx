import { ErrorNotice, Loading } from "../ui/notice.tsx";

/** While not all forms are there, or why they never will be. */
export function FormsLoading({ error }: { readonly error: Error | null }) {
  return error === null ? <Loading /> : <ErrorNotice error={error} />;
}
