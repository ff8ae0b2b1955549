import type { FirstSight } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { sayIsRight } from "../envelopes/look-at.ts";
import type { OpenedForm } from "../envelopes/open-form.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { describeOutcome } from "./answered-sight.ts";
import { ReaderName } from "./reader-name.tsx";
import { findReaderDoubts, toReaderRows } from "./reader-rows.ts";
import { SightKeys } from "./sight-keys.tsx";

const { section, lookAt: words } = text.envelopes;

interface LookAtProps {
  readonly context: EnvelopeContext;
  readonly form: { readonly id: string };
  readonly opened: OpenedForm;
  /** One that `findToLookAt` gives. */
  readonly sight: FirstSight;
  readonly onChanged: () => Promise<unknown>;
  readonly say: (sentence: string, isGood: boolean) => void;
}

/** Shows the first revision that this browser sees of an envelope, whose signer writes no longer, and takes the person's word that it is right. */
export function LookAtEnvelope({ context, form, opened, sight, onChanged, say }: LookAtProps) {
  const { envelope, shown } = sight;
  const { head, formName, writtenBy } = envelope;
  const queryClient = useQueryClient();
  const { list, own } = opened.list;
  const looking = useMutation({
    mutationFn: () => sayIsRight(context, form.id as FormId, sight), // the server names no other
    meta: { changesNothing: true },
    onSuccess: async ({ outcome }) => {
      // A log that is not shown is noted with the answer, and the page says so, where a person can accept that it is gone.
      await Promise.all([onChanged(), queryClient.invalidateQueries({ queryKey: ["form", form.id, "key-log"] })]);
      say(describeOutcome(outcome) ?? words.done, outcome === "accepted");
    },
  });
  const doubtsOf = findReaderDoubts({ list: opened.list, envelopes: [envelope] });
  const rows = toReaderRows(list.members, [envelope], [], form.id, doubtsOf).filter(({ reads }) => reads !== "none");
  const { end } = shown;
  const mayBeAsked = end?.how === "key" && end.stillWrites && writtenBy.id !== own.id;
  return (
    <div className="grid grid-cols-1 gap-3 rounded-lg border border-warning/30 p-4">
      <Notice role="alert" title={words.title} tone="warning">
        {words.intro}
      </Notice>
      <Signed isOwn={writtenBy.id === own.id} mayBeAsked={mayBeAsked} sight={sight} />
      <p className="wrap-anywhere">
        <bdi>{words.formName(formName)}</bdi> {section.revision(head.revision)}.
      </p>
      <h3 className="font-medium">{words.keys}</h3>
      <SightKeys sight={sight} />
      <h3 className="font-medium">{words.readers}</h3>
      <ul aria-label={words.readers} className="divide-y divide-line">
        {rows.map((row) => (
          <li className="flex flex-wrap items-center gap-x-2.5 gap-y-1 py-2" key={row.id}>
            <ReaderName isSelf={row.id === own.id} row={row} />
          </li>
        ))}
      </ul>
      <p className="wrap-anywhere">
        <bdi>{mayBeAsked ? words.askSigner(shownName(writtenBy)) : words.first}</bdi> {words.otherwise}
      </p>
      {looking.isError && <ErrorNotice error={looking.error} />}
      <Button className="justify-self-start" onClick={() => looking.mutate()} pending={looking.isPending}>
        {words.submit}
      </Button>
      <p>
        <Link
          className="inline-flex items-center py-1.5 text-accent underline pointer-coarse:min-h-11"
          to="/forms/look-at"
        >
          {text.envelopes.lookAtForms.link}
        </Link>
      </p>
    </div>
  );
}

/** Who has signed it, and since when they write no longer, or only with another key. */
function Signed({
  sight: {
    envelope: { writtenAt, writtenBy },
    shown: { end },
  },
  isOwn,
  mayBeAsked,
}: Pick<LookAtProps, "sight"> & { readonly isOwn: boolean; readonly mayBeAsked: boolean }) {
  return (
    <p className="wrap-anywhere">
      <bdi>{words.signed(shownName(writtenBy))}</bdi> <Time at={Date.parse(writtenAt)} />.{" "}
      {end && (
        <>
          {words.ended[isOwn ? "own" : end.how]} <Time at={Date.parse(end.writtenAt)} />.
        </>
      )}
      {mayBeAsked && (
        <>
          {" "}
          <bdi>{words.still(shownName(writtenBy))}</bdi>
        </>
      )}
    </p>
  );
}
