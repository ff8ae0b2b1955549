import { type FormsPage, refuseEndless } from "../api/endless-list.ts";

/** All forms of a paged list. Throws where the server's pages never end. */
export async function collectForms<Form>(
  loadPage: (query: { readonly limit: number; readonly cursor?: string }) => Promise<FormsPage<Form>>,
): Promise<readonly Form[]> {
  const forms: Form[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: FormsPage<Form> = await loadPage({ limit: 100, ...(cursor !== "" && { cursor }) });
    forms.push(...page.forms);
    cursor = page.nextCursor;
    refuseEndless(page, forms.length);
  }
  return forms;
}
