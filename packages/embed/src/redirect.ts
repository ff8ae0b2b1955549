/**
 * Where to go after success, or `undefined`. `redirect` was written by the page's author: this origin, or any https
 * address. `next` (the field `_next`) may hold what a visitor brought along in a link: this origin only.
 */
export function redirectAddress(
  redirect: string | undefined,
  next: string | undefined,
  here: string,
): string | undefined {
  const wanted = redirect ?? next;
  if (!wanted || !URL.canParse(wanted, here)) return undefined;
  const { href, origin, protocol } = new URL(wanted, here);
  return origin === new URL(here).origin || (redirect !== undefined && protocol === "https:") ? href : undefined;
}
