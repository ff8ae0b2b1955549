import { useMutation } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

const { seenAgain: words } = text.envelopes;

/** Says, until the person knows, that a form is seen for the first time which was opened here before. */
export function SeenAgain({
  context,
  formId,
  onDone,
}: {
  readonly context: EnvelopeContext;
  readonly formId: string;
  readonly onDone: () => Promise<unknown>;
}) {
  const noting = useMutation({
    mutationFn: () => context.heads.noteKnown(formId),
    meta: { changesNothing: true },
    onSuccess: onDone,
  });
  return (
    <>
      <Notice role="alert" title={words.title} tone="warning">
        {words.hint}
      </Notice>
      <Button className="justify-self-start" onClick={() => noting.mutate()} pending={noting.isPending}>
        {words.submit}
      </Button>
    </>
  );
}
