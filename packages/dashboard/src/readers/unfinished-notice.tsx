import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import type { StandingRow } from "../envelopes/answer-standing.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { loadList } from "../envelopes/load-list.ts";
import { type Locked, previewList } from "../envelopes/preview-list.ts";
import { findUnfinished, type Unfinished } from "../envelopes/unfinished.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { membersQuery } from "../organization/member-queries.ts";
import { useMay } from "../organization/membership.ts";
import { useEnvelopeContext, useLocked } from "../personal-key/use-envelope-context.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { ChangeListedRole, type OtherRole } from "./change-listed-role.tsx";
import { ConfirmMembers } from "./confirm-members.tsx";
import { LookThrough } from "./look-through.tsx";
import TakeOut, { type Leaving } from "./take-out.tsx";

const { readers: texts } = text;

const { left: words } = texts;

/** Who left the organization and can still be in envelopes, has another role than the list says, or has another key. */
function useUnfinished(context: EnvelopeContext | undefined, locked: Locked | undefined) {
  const may = useMay();
  const person = context ?? locked;
  const isFor = person !== undefined && may("rotateFormKeys");
  const members = useQuery({ ...membersQuery, enabled: isFor }).data?.members;
  const { data } = useQuery({
    queryKey: [
      ...["unfinished", person?.organizationId, person?.own.recipient, context !== undefined],
      members?.map(({ id, role }) => [id, role]),
    ],
    queryFn: async () => {
      const list = context ? await loadList(context) : locked && (await previewList(locked));
      if (person === undefined || members === undefined || list?.kind !== "checked") return null;
      return { list, ...(await findUnfinished(person, list, members)) };
    },
    enabled: isFor && members !== undefined,
    gcTime: 0,
  });
  return data;
}

type Begun =
  | { readonly what: "takeOut"; readonly member: Leaving }
  | { readonly what: "changeRole"; readonly other: OtherRole }
  | { readonly what: "confirm" }
  | { readonly what: "lookThrough" };

/** For who may change readers: what is unfinished, each with the button that finishes it, once their key is open. */
export default function UnfinishedNotice() {
  const context = useEnvelopeContext();
  const locked = useLocked();
  const queryClient = useQueryClient();
  const data = useUnfinished(context, locked);
  const [begun, setBegun] = useState<Begun>();
  if (!data) return null;
  if (context === undefined) return <Waiting unfinished={data} />;
  const close = () => {
    setBegun(undefined);
    void queryClient.invalidateQueries({ queryKey: ["unfinished"] });
  };
  return (
    <>
      {data.left
        .map(({ id, name: signed }) => ({ id, name: shownName({ id, name: signed }) }))
        .map(({ id, name }) => (
          <ToDo
            action={words.action(name)}
            key={id}
            onBegin={() => setBegun({ what: "takeOut", member: { id, name } })}
            title={words.title(name)}
            tone="warning"
          >
            {words.intro}
          </ToDo>
        ))}
      {data.otherRole.map(({ member, role }) => (
        <ToDo
          action={words.roleAction(shownName(member))}
          key={member.id}
          onBegin={() => setBegun({ what: "changeRole", other: { member, role } })}
          role="status"
          title={words.roleTitle(shownName(member), texts.roles[member.role], texts.roles[role])}
        >
          {words.roleIntro}
        </ToDo>
      ))}
      {data.left.length === 0 && <ToConfirm onBegin={() => setBegun({ what: "confirm" })} rows={data.unvouched} />}
      {data.left.length === 0 && data.isToCheck && (
        <ToDo
          action={words.checkAction}
          onBegin={() => setBegun({ what: "lookThrough" })}
          title={words.checkTitle}
          tone="warning"
        >
          {words.check}
        </ToDo>
      )}
      {begun?.what === "changeRole" && <ChangeListedRole context={context} onClose={close} other={begun.other} />}
      {begun?.what === "confirm" && <ConfirmMembers context={context} onClose={close} rows={data.unvouched} />}
      {begun?.what === "takeOut" && <TakeOut member={begun.member} onClose={close} />}
      {begun?.what === "lookThrough" && (
        <LookThrough context={context} list={data.list} onClose={close} renewed={data.renewed} />
      )}
    </>
  );
}

/** With a locked key: what waits, and how to continue. */
function Waiting({ unfinished: { left, otherRole, unvouched, isToCheck } }: { readonly unfinished: Unfinished }) {
  const [isUnlocking, setIsUnlocking] = useState(false);
  const waits = [
    ...left.map((member) => words.title(shownName(member))),
    ...otherRole.map(({ member, role }) =>
      words.roleTitle(shownName(member), texts.roles[member.role], texts.roles[role]),
    ),
    ...(left.length === 0 && unvouched.length > 0 ? [texts.standing.title(unvouched.length)] : []),
    ...(left.length === 0 && isToCheck ? [words.checkTitle] : []),
  ];
  if (waits.length === 0) return null;
  return (
    <>
      <ToDo
        action={words.lockedAction}
        onBegin={() => setIsUnlocking(true)}
        title={words.lockedTitle(waits.length)}
        tone="warning"
      >
        <ul className="grid list-disc gap-1 pl-5">
          {waits.map((sentence) => (
            <li className="wrap-anywhere" key={sentence}>
              <bdi>{sentence}</bdi>
            </li>
          ))}
        </ul>
        <p className="mt-1">{words.locked}</p>
      </ToDo>
      {isUnlocking && (
        <Dialog onClose={() => setIsUnlocking(false)} title={words.lockedAction}>
          <UnlockPersonalKey onOpen={() => setIsUnlocking(false)} />
        </Dialog>
      )}
    </>
  );
}

/** Members for whom nothing is sealed until somebody says who they are. */
function ToConfirm({ rows, onBegin }: { readonly rows: readonly StandingRow[]; readonly onBegin: () => void }) {
  if (rows.length === 0) return null;
  const { standing } = texts;
  return (
    <ToDo action={standing.action} onBegin={onBegin} title={standing.title(rows.length)} tone="warning">
      {standing.notice(rows.map(({ member }) => shownName(member)))}
    </ToDo>
  );
}

function ToDo({
  action,
  onBegin,
  ...notice
}: Omit<ComponentProps<typeof Notice>, "action"> & { readonly action: string; readonly onBegin: () => void }) {
  return (
    <Notice
      action={
        <Button onClick={onBegin} small>
          {action}
        </Button>
      }
      {...notice}
    />
  );
}
