import type { Member } from "@sealpost/envelope";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { answerStanding } from "../envelopes/answer-standing.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import { findPutReaders, type PutReaders, toSaid } from "../envelopes/put-readers.ts";
import { type BroughtIn, type SignedOver, signOver } from "../envelopes/sign-over.ts";
import type { ReaderChange } from "../envelopes/sweep.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { NotAnswered } from "../readers/confirm-members.tsx";
import { firstAnswers, readAnswers, StandingFields } from "../readers/standing-fields.tsx";
import type { FormToSweep } from "../readers/sweep-progress.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { ActionsInSight } from "../ui/actions-in-sight.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Skeleton } from "../ui/page.tsx";

const { personalKeyReplaced, readers } = text;

const texts = personalKeyReplaced.carryOver;

/** Who could give the person a new key in the stead of themself. */
export function RatherAsk({ colleagues }: { readonly colleagues: readonly Member[] }) {
  if (colleagues.length === 0) return null;
  return (
    <Notice title={texts.rather.title}>
      <p>{texts.rather.hint(colleagues.map(shownName))}</p>
    </Notice>
  );
}

/** Asks about each member whom the former key has brought in, before the new one takes its place; then carries it over. */
export function AskBroughtIn({
  context,
  broughtIn: { rows },
  onCarried,
}: {
  readonly context: EnvelopeContext;
  readonly broughtIn: BroughtIn;
  readonly onCarried: (outcome: SignedOver) => void;
}) {
  const fields = useFields({
    initial: firstAnswers(rows),
    async send(values) {
      const answers = readAnswers(rows, values);
      const claimed = answers.flatMap(([row, answer]) => (answer === "known" ? [row] : []));
      const outcome = await signOver(context, claimed);
      return outcome.kind === "checked" ? answerStanding(context, [], answers) : outcome;
    },
    onSaved: onCarried,
  });
  return (
    <FieldsForm fields={fields} notice={<NotAnswered error={fields.error} />}>
      <h3 className="font-semibold">{texts.broughtIn.title}</h3>
      <p className="text-muted">{texts.broughtIn.intro}</p>
      <StandingFields fields={fields} rows={rows} words={texts.broughtIn} />
      <ActionsInSight>
        <Button look="primary" pending={fields.isPending} type="submit">
          {texts.action}
        </Button>
      </ActionsInSight>
    </FieldsForm>
  );
}

/** Asks about the readers whom the former key has put into forms, form by form, before any form is sealed once more. */
export function AskPutReaders({
  context,
  list,
  forms,
  children,
}: {
  readonly context: EnvelopeContext;
  readonly list: CheckedList;
  readonly forms: readonly FormToSweep[];
  readonly children: (said: ReaderChange["said"]) => ReactNode;
}) {
  const [said, setSaid] = useState<ReaderChange["said"]>();
  const put = useQuery({
    queryKey: ["put-readers", context.organizationId, context.own.recipient, forms.map(({ id }) => id)],
    queryFn: () => findPutReaders(context, list, forms),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (put.isError) return <ErrorNotice error={put.error} onRetry={() => put.refetch()} />;
  if (put.data === undefined) return <Skeleton className="h-12 w-full" />;
  if (said !== undefined || put.data.length === 0) return children(said);
  return <Ask onSaid={setSaid} put={put.data} />;
}

function Ask({
  put,
  onSaid,
}: {
  readonly put: readonly PutReaders[];
  readonly onSaid: (said: ReaderChange["said"]) => void;
}) {
  const fields = useFields({
    initial: { kept: [] as readonly string[] },
    changesNothing: true,
    send: ({ kept }) => onSaid(toSaid(put, kept)),
  });
  return (
    <FieldsForm fields={fields}>
      <h3 className="font-semibold">{texts.putReaders.title}</h3>
      <p className="text-muted">{texts.putReaders.intro}</p>
      {put.map(({ form, members }) => (
        <fieldset className="grid gap-1.5" key={form.id}>
          <legend className="font-medium">
            <bdi className="wrap-anywhere">{form.name}</bdi>
          </legend>
          {members.map((member) => (
            <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={member.id}>
              <input {...fields.tickOf("kept", `${form.id} ${member.id}`)} className="mt-1" type="checkbox" />
              <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <bdi className="wrap-anywhere">{texts.putReaders.keeps(shownName(member))}</bdi>
                <Badge>{readers.roles[member.role]}</Badge>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      <ActionsInSight>
        <Button look="primary" type="submit">
          {texts.putReaders.action}
        </Button>
      </ActionsInSight>
    </FieldsForm>
  );
}
