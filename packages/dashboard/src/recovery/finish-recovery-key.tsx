import { deriveRecoveryKey, type Member, RefusalError, verifyList } from "@sealpost/envelope";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import { ListRefused } from "../readers/refusal-notice.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { keepRecoveryKey } from "./keep-recovery-key.ts";
import { SheetsInput } from "./sheets-input.tsx";

const { recovery } = text;

const texts = recovery.unfinished;

/**
 * The recovery keys of a list that have never signed in it: the browser was closed after the entry that adds one, and before that key's own. A device
 * with nothing but the paper can't trust the list by such a key.
 */
export async function findUnvouched(
  { organizationId }: EnvelopeContext,
  { list, bytes }: CheckedList,
): Promise<readonly Member[]> {
  const unvouched: Member[] = [];
  for (const member of list.members.values()) {
    if (member.role !== "recovery" || member.signingKey === null) continue;
    const verified = await verifyList(bytes, { organizationId, trust: { signingKey: member.signingKey } });
    if (verified instanceof RefusalError) unvouched.push(member);
  }
  return unvouched;
}

/** Says that the recovery key has yet to sign, and has it sign once its sheets are brought. */
export function FinishRecoveryKey({
  context,
  unvouched,
  mayChange,
  onDone,
}: {
  readonly context: EnvelopeContext;
  readonly unvouched: readonly Member[];
  readonly mayChange: boolean;
  readonly onDone: () => Promise<void>;
}) {
  const [isBringing, setIsBringing] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const finishing = useMutation({
    mutationFn: async (identity: string) => {
      const key = await deriveRecoveryKey(identity);
      const isIt = unvouched.some(({ recipient }) => recipient === key.recipient);
      return isIt ? keepRecoveryKey(context, key, recovery.memberName, []) : ("foreign" as const);
    },
    onSuccess: async (kept) => {
      setRefusal(kept === "foreign" ? recovery.use.refused.foreign : undefined);
      if (kept !== "foreign" && kept.kind === "kept") await onDone();
    },
    gcTime: 0,
  });
  const outcome = finishing.data;
  return (
    <Notice role="alert" title={texts.title} tone="warning">
      <div className="grid gap-4">
        <p>{texts.hint}</p>
        {finishing.isError && <ErrorNotice error={finishing.error} />}
        {outcome !== undefined && outcome !== "foreign" && outcome.kind === "list" && (
          <ListRefused list={outcome.list} />
        )}
        {mayChange && !isBringing && (
          <Button className="justify-self-start" look="primary" onClick={() => setIsBringing(true)}>
            {texts.finish}
          </Button>
        )}
        {isBringing && (
          <SheetsInput
            action={text.common.next}
            isPending={finishing.isPending}
            onKey={(identity) => finishing.mutate(identity)}
            refusal={refusal}
          />
        )}
      </div>
    </Notice>
  );
}
