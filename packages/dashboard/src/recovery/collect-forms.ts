import { ApiError } from "@sealpost/sdk";

interface FormsPage<Form> {
  readonly forms: readonly Form[];
  readonly nextCursor: string | null;
}

/** An organization has 10,000 at most. */
const formsMax = 10_000;

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
    const isEndless = forms.length > formsMax || (page.forms.length === 0 && cursor !== null);
    if (isEndless) throw new ApiError("The server's list has no end", { status: 200, code: "unexpected_answer" });
  }
  return forms;
}
