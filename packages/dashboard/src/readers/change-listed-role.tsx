import { type Member, RefusalError } from "@sealpost/envelope";
import type { Member as ServerMember } from "@sealpost/sdk";
import { useMutation } from "@tanstack/react-query";
import { changeList } from "../envelopes/change-list.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { ListUnusable } from "../envelopes/load-list.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { ListRefused } from "./refusal-notice.tsx";

const { readers: texts } = text;

const { left: words } = texts;

/** A member of the list, and the role that the server says. */
export interface OtherRole {
  readonly member: Member;
  readonly role: ServerMember["role"];
}

/** Enters a member's role in the signed list, once somebody has confirmed that it is meant. */
export function ChangeListedRole({
  context,
  other: { member, role },
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly other: OtherRole;
  readonly onClose: () => void;
}) {
  const changing = useMutation({
    mutationFn: () =>
      changeList(context, ({ list: { members } }) => {
        const now = members.get(member.id);
        return now === undefined || now.role === role ? undefined : { change: "replace", member: { ...now, role } };
      }),
    onSuccess: onClose,
  });
  const { error } = changing;
  const isRefused = error instanceof RefusalError;
  return (
    <ActionDialog
      action={words.roleSubmit}
      isPending={changing.isPending}
      onClose={onClose}
      onConfirm={() => changing.mutate()}
      title={words.roleDialog(shownName(member), texts.roles[role])}
    >
      {error instanceof ListUnusable && <ListRefused list={error.list} />}
      {isRefused && <p role="alert">{words.roleRefused}</p>}
      {error && !isRefused && !(error instanceof ListUnusable) && <ErrorNotice error={error} />}
      <p>{words.roleHint(shownName(member))}</p>
    </ActionDialog>
  );
}
