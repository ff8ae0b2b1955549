import { RefusalError } from "@sealpost/envelope";
import type { Form } from "@sealpost/sdk";
import { formatListHead } from "@sealpost/sdk/envelopes";
import { createId } from "@sealpost/wire";
import { useMutation } from "@tanstack/react-query";
import { changeList, ListUnusable } from "../envelopes/change-list.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { toListName } from "../envelopes/found-list.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { CloseButton } from "../ui/close-button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { ListRefused } from "./refusal-notice.tsx";
import { SweepProgress } from "./sweep-progress.tsx";

const { readers: texts } = text;

const { program: words } = texts;

/** Puts a program into the signed list, by the recipient that it has printed, and makes it a reader of the form. */
export function AddProgram({
  context,
  form,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly onClose: () => void;
}) {
  const adding = useMutation({
    mutationFn: ({ name, recipient }: { readonly name: string; readonly recipient: string }) =>
      enterProgram(context, name, recipient),
  });
  if (adding.data !== undefined)
    return (
      <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
        <SweepProgress change={{ add: [adding.data.id], remove: [] }} context={context} forms={[form]} />
        <p className="text-muted">{words.head}</p>
        <CodeBlock code={adding.data.head} label={words.headLabel} wrap />
        <p className="text-muted">{words.apiKey}</p>
      </Dialog>
    );
  const { error } = adding;
  const isMalformed = error instanceof RefusalError && error.reason === "malformed";
  const isTaken = error instanceof RefusalError && error.reason === "not_allowed";
  return (
    <ActionDialog
      action={words.submit}
      isPending={adding.isPending}
      onClose={onClose}
      onConfirm={(data) => adding.mutate({ name: String(data.get("name")), recipient: String(data.get("recipient")) })}
      title={words.title}
    >
      <p className="text-muted">{words.intro}</p>
      {error instanceof ListUnusable && <ListRefused list={error.list} />}
      {error && !(error instanceof ListUnusable) && !isMalformed && !isTaken && <ErrorNotice error={error} />}
      <TextField autoComplete="off" data-focus label={words.name} maxLength={100} name="name" required />
      <TextArea
        autoComplete="off"
        error={isMalformed ? words.malformed : isTaken ? words.taken : undefined}
        hint={words.recipientHint}
        label={words.recipient}
        name="recipient"
        required
        rows={4}
        spellCheck={false}
      />
    </ActionDialog>
  );
}

export interface EnteredProgram {
  /** Under which the program is in the list, also where its recipient was entered before. */
  readonly id: string;
  /** Of the list, as the program takes it at its first use: `NUMBER-HASH`. */
  readonly head: string;
}

export async function enterProgram(context: EnvelopeContext, name: string, pasted: string): Promise<EnteredProgram> {
  const recipient = pasted.replaceAll(/\s/g, "");
  // Programs of age refuse to mix kinds of recipients, and those of people are hybrid.
  if (!recipient.startsWith("age1pq1")) throw new RefusalError("malformed");
  const member = {
    id: createId("account"),
    name: toListName(name),
    role: "program",
    recipient,
    signingKey: null,
  } as const;
  const { list } = await changeList(context, ({ list: { members } }) =>
    [...members.values()].some((other) => other.recipient === recipient && other.role === "program")
      ? undefined
      : { change: "add", member },
  );
  const found = [...list.members.values()].find((other) => other.recipient === recipient);
  return { id: found?.id ?? member.id, head: formatListHead(list.head) };
}
