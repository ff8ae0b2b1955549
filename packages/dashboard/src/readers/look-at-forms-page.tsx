import type { EnvelopeContext } from "../envelopes/context.ts";
import { useAllForms } from "../organization/member-queries.ts";
import { text } from "../texts/text.ts";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { PageHeader, Skeleton } from "../ui/page.tsx";
import { LookAtForms } from "./look-at-forms.tsx";
import { WithOpenKey } from "./with-open-key.tsx";

const { lookAtForms: words, section } = text.envelopes;

/** All forms of the organization whose envelopes wait here for a person's word, in groups. */
export function LookAtFormsPage() {
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        intro={
          <>
            {words.pageIntro} <HelpLink page="envelopes">{section.link}</HelpLink>
          </>
        }
        title={text.pages.lookAtForms}
      />
      <WithOpenKey>{(context) => <All context={context} />}</WithOpenKey>
    </div>
  );
}

function All({ context }: { readonly context: EnvelopeContext }) {
  const { forms, isComplete, error } = useAllForms();
  if (error !== null) return <ErrorNotice error={error} />;
  if (!isComplete) return <Skeleton className="h-24 w-full" />;
  return <LookAtForms context={context} forms={forms} isPage />;
}
