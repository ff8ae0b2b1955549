import { findDoubts, RefusalError, type VerifiedList } from "@sealpost/envelope";
import type { Form } from "@sealpost/sdk";
import { formatListHead } from "@sealpost/sdk/envelopes";
import { createId } from "@sealpost/wire";
import { changeList } from "../envelopes/change-list.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { toListName } from "../envelopes/found-list.ts";
import { ListUnusable } from "../envelopes/load-list.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { CloseButton } from "../ui/close-button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { FormNames } from "./form-names.tsx";
import { OrganizationNames } from "./organization-names.tsx";
import { ListRefused } from "./refusal-notice.tsx";
import { SweepProgress } from "./sweep-progress.tsx";

const { readers: texts } = text;

const { program: words } = texts;

/** Puts a program into the signed list, by the recipient that it has printed, and makes it a reader of the form. */
export function AddProgram({
  context,
  list,
  form,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly list: VerifiedList;
  readonly form: Form;
  readonly onClose: () => void;
}) {
  const fields = useFields({
    initial: { name: "", recipient: "" },
    send: ({ name, recipient }) => enterProgram(context, name, recipient),
  });
  const { result, error, values } = fields;
  const named = { id: "", name: toListName(values.name) };
  const alike = values.name.trim() === "" ? [] : findDoubts(list)(named).alike;
  if (result !== undefined)
    return (
      <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
        <SweepProgress change={{ add: [result.id], remove: [] }} context={context} forms={[form]} />
        <p className="text-muted">{words.head}</p>
        <CodeBlock code={result.head} label={words.headLabel} wrap />
        <p className="text-muted">{words.apiKey}</p>
      </Dialog>
    );
  const isMalformed = error instanceof RefusalError && error.reason === "malformed";
  const isTaken = error instanceof RefusalError && error.reason === "not_allowed";
  return (
    <FormDialog
      action={words.submit}
      fields={fields}
      notice={<NotEntered error={error} isAtField={isMalformed || isTaken} />}
      onClose={onClose}
      title={words.title}
    >
      <OrganizationNames isTitled />
      <FormNames form={form} />
      <p className="text-muted">{words.intro}</p>
      <TextField {...fields.text("name")} autoComplete="off" data-focus label={words.name} maxLength={100} required />
      {alike.length > 0 && <Notice tone="warning">{words.alike(alike.map(shownName))}</Notice>}
      <TextArea
        {...fields.text("recipient")}
        autoComplete="off"
        error={isMalformed ? words.malformed : isTaken ? words.taken : undefined}
        hint={words.recipientHint}
        label={words.recipient}
        required
        rows={4}
        spellCheck={false}
      />
    </FormDialog>
  );
}

function NotEntered({ error, isAtField }: { readonly error: Error | null; readonly isAtField: boolean }) {
  if (error instanceof ListUnusable) return <ListRefused list={error.list} />;
  return error !== null && !isAtField && <ErrorNotice error={error} />;
}

export interface EnteredProgram {
  /** Under which the program is in the list, also where its recipient was entered before. */
  readonly id: string;
  /** The head of the list, as the program takes it at its first use: `NUMBER-HASH`. */
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
