import { printable } from "./printable.ts";

/** How a member of the signed list is shown: by the signed name, or by the id where the service does not show it. Never by the server's word. */
export function shownName({ id, name }: { readonly id: string; readonly name: string | undefined }): string {
  return name === undefined ? `(name missing: ${id})` : printable(name);
}
