import type { FormId } from "@sealpost/wire";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { findToLookAt } from "../envelopes/look-at.ts";
import { openForm } from "../envelopes/open-form.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { LookAtEnvelope } from "./look-at-envelope.tsx";

interface FormToLookAt {
  readonly id: string;
  readonly name: string;
}

/** Forms that an act left unchanged, because a person has to look at their envelopes first: here, with the key that the act has. */
export function LookAtForms({
  context,
  forms,
  onRight,
}: {
  readonly context: EnvelopeContext;
  readonly forms: readonly FormToLookAt[];
  /** All of them were said to be right. */
  readonly onRight: () => void;
}) {
  const right = useRef(new Set<string>());
  const settle = (formId: string) => {
    right.current.add(formId);
    if (forms.every(({ id }) => right.current.has(id))) onRight();
  };
  return forms.map((form) => (
    <LookAtForm context={context} form={form} key={form.id} onRight={() => settle(form.id)} />
  ));
}

interface LookAtFormProps {
  readonly context: EnvelopeContext;
  readonly form: FormToLookAt;
  readonly onRight: () => void;
}

function LookAtForm({ context, form, onRight }: LookAtFormProps) {
  const [said, setSaid] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  const opening = useQuery({
    queryKey: ["form", form.id, "look-at", context.own.recipient],
    queryFn: () => openForm(context, form.id as FormId), // the server names no others
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const { data } = opening;
  const say = (sentence: string) => {
    setSaid(sentence);
    place.current?.focus();
  };
  if (opening.isError) return <ErrorNotice error={opening.error} onRetry={() => opening.refetch()} />;
  if (data?.kind !== "opened") return null;
  const envelopes = findToLookAt(data);
  if (envelopes.length === 0 && said === undefined) return null;
  return (
    <section aria-label={form.name} className="grid grid-cols-1 gap-3">
      <h3 className="wrap-anywhere font-medium">
        <bdi>{form.name}</bdi>
      </h3>
      <div className="outline-none empty:absolute" ref={place} role="status" tabIndex={-1}>
        {said && <Notice>{said}</Notice>}
      </div>
      {envelopes.map((sight) => (
        <LookAtEnvelope
          {...{ context, sight, form, say }}
          key={`${sight.envelope.firstVersion} ${sight.envelope.head.hash}`}
          onChanged={async () => {
            const { data: next } = await opening.refetch();
            if (next?.kind === "opened" && findToLookAt(next).length === 0) onRight();
          }}
          opened={data}
        />
      ))}
    </section>
  );
}
