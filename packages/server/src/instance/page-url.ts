import { fillPath, type PageName, pages } from "@sealpost/dashboard/pages";

/**
 * The address of a page of the dashboard. A secret follows the `#`, which browsers send to nobody, so no proxy logs it. Where
 * the form of a page is not known, or is gone, the list of forms.
 */
export function pageUrl(
  baseUrl: string,
  name: PageName,
  { formId, secret }: { readonly formId?: string | undefined; readonly secret?: string | undefined } = {},
): string {
  const { path } = pages[name];
  const isOfForm = path.includes("$");
  const url = baseUrl + (isOfForm && formId === undefined ? pages.forms.path : fillPath(path, formId ?? ""));
  return secret === undefined ? url : `${url}#${secret}`;
}
