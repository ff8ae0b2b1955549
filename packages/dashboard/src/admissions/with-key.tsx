import { RefusalError } from "@sealpost/envelope";
import type { ReactNode } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { ListUnusable } from "../envelopes/load-list.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { OrganizationNames } from "../readers/organization-names.tsx";
import { EnvelopeRefused, ListRefused, Refused } from "../readers/refusal-notice.tsx";
import { type RefusalText, text } from "../texts/text.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";

const { admissions: texts } = text;

/** With an open key; until then, what opens it. */
export function WithKey({ children }: { readonly children: (context: EnvelopeContext) => ReactNode }) {
  const context = useEnvelopeContext();
  if (context !== undefined)
    return (
      <>
        <OrganizationNames isTitled />
        {children(context)}
      </>
    );
  return (
    <Next key="unlock">
      <p>{texts.unlock}</p>
      <UnlockPersonalKey />
    </Next>
  );
}

/** The stage that follows a press, and takes the focus where the button is gone; in a dialog that comes up too, whose first button closes it. */
export function Next({ children }: { readonly children: ReactNode }) {
  const place = useFocusInstead<HTMLDivElement>(true);
  return (
    <div className="grid gap-4 outline-none" data-focus ref={place} tabIndex={-1}>
      {children}
    </div>
  );
}

/** Why no link was made, or no answer accepted. */
export function Failed({
  error,
  refusals,
}: {
  readonly error: Error;
  /** The sentences for the person who reads them: the one who invites, or the one who was invited. */
  readonly refusals: Readonly<Record<string, RefusalText>>;
}) {
  if (error instanceof RefusalError) {
    const refusal = refusals[error.reason];
    return refusal === undefined ? <EnvelopeRefused reason={error.reason} /> : <Refused {...refusal} />;
  }
  return error instanceof ListUnusable ? <ListRefused list={error.list} /> : <ErrorNotice error={error} />;
}
