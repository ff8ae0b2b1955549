import { ApiError } from "@sealpost/sdk";

export interface FormsPage<Form = unknown> {
  readonly forms: readonly Form[];
  readonly nextCursor: string | null;
}

/** An organization has 10,000 at most. */
const formsMax = 10_000;

/** Throws where a list of forms, of which there are `count` with this page, would never end. */
export function refuseEndless({ forms, nextCursor }: FormsPage, count: number): void {
  const isEndless = count > formsMax || (forms.length === 0 && nextCursor !== null);
  if (isEndless) throw new ApiError("The server's list has no end", { status: 200, code: "unexpected_answer" });
}
