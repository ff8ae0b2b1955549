import { isUnderManagers, type Member, RefusalError } from "@sealpost/envelope";
import type { Member as ServerMember } from "@sealpost/sdk";
import { useMutation } from "@tanstack/react-query";
import { answerStanding, giveRole } from "../envelopes/answer-standing.ts";
import { changeList } from "../envelopes/change-list.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { ListUnusable } from "../envelopes/load-list.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { AnsweredAbout, AskLosing, type Losing, useLosing } from "./ask-losing.tsx";
import { ListRefused } from "./refusal-notice.tsx";

const { readers: texts } = text;

const { left: words } = texts;

/** A member of the list, and the role that the server says. */
export interface OtherRole {
  readonly member: Member;
  readonly role: ServerMember["role"];
}

interface Props {
  readonly context: EnvelopeContext;
  readonly other: OtherRole;
  readonly onClose: () => void;
}

/**
 * Enters a member's role in the signed list, once somebody has confirmed that it is meant, and has said what becomes of those whom the member let in; where
 * the member's key signs for everybody then, only once they have said that it is theirs.
 */
export function ChangeListedRole({ context, other: { member, role }, onClose }: Props) {
  const isGiven = !isUnderManagers({ role });
  const losing = useLosing(
    context,
    member.id,
    ({ list }) => {
      const now = list.members.get(member.id);
      return now === undefined || now.role === role ? [] : [{ change: "replace", member: { ...now, role } }];
    },
    isGiven,
  );
  if (losing.answers !== undefined)
    return <Confirm context={context} losing={losing} onClose={onClose} other={{ member, role }} />;
  const name = shownName(member);
  return (
    <Dialog isWide onClose={onClose} title={words.roleDialog(name, texts.roles[role])}>
      <AskLosing losing={losing} name={name} role={isGiven ? texts.roles[role] : undefined} />
    </Dialog>
  );
}

function Confirm({ context, other: { member, role }, losing, onClose }: Props & { readonly losing: Losing }) {
  const answers = losing.answers ?? [];
  const changing = useMutation({
    mutationFn: async () => {
      const asked = answers.find(([row]) => row.member.id === member.id)?.[0];
      await changeList(context, ({ list }) => giveRole(list, member, role, asked));
      const others = answers.filter(([row]) => row.member.id !== member.id);
      if (others.length > 0) await answerStanding(context, [], others);
    },
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
      <AnsweredAbout losing={losing} />
    </ActionDialog>
  );
}
