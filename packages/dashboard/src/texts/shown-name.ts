import { text } from "./text.ts";

/** How a member of a signed list is shown: by the name that is signed, or, where it is missing, by their id. Never by the server's word. */
export function shownName({ id, name }: { readonly id: string; readonly name: string | undefined }): string {
  return name ?? text.members.nameMissing(id);
}
