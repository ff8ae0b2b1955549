import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { loadList } from "../envelopes/load-list.ts";
import { findUnfinished } from "../envelopes/unfinished.ts";
import { membersQuery } from "../organization/member-queries.ts";
import { useMay } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ChangeListedRole, type OtherRole } from "./change-listed-role.tsx";
import { LookThrough } from "./look-through.tsx";
import TakeOut, { type Leaving } from "./take-out.tsx";

const { readers: texts } = text;

const { left: words } = texts;

/** For who may change readers, while their key is open: somebody who left can still be in envelopes, or has another key. */
export default function UnfinishedNotice() {
  const context = useEnvelopeContext();
  const may = useMay();
  const queryClient = useQueryClient();
  const isFor = context !== undefined && may("rotateFormKeys");
  const members = useQuery({ ...membersQuery, enabled: isFor }).data?.members;
  const [leaving, setLeaving] = useState<Leaving>();
  const [other, setOther] = useState<OtherRole>();
  const [isLooking, setIsLooking] = useState(false);
  const { data } = useQuery({
    queryKey: ["unfinished", context?.own.recipient, members?.map(({ id, role }) => [id, role])],
    queryFn: async () => {
      const list = context && (await loadList(context));
      if (context === undefined || members === undefined || list?.kind !== "checked") return null;
      return { list, ...(await findUnfinished(context, list, members)) };
    },
    enabled: isFor && members !== undefined,
    gcTime: 0,
  });
  if (!data || context === undefined) return null;
  const close = () => {
    setLeaving(undefined);
    setOther(undefined);
    setIsLooking(false);
    void queryClient.invalidateQueries({ queryKey: ["unfinished"] });
  };
  return (
    <>
      {data.left.map(({ id, name }) => (
        <Notice
          action={
            <Button onClick={() => setLeaving({ id, name })} small>
              {words.action(name)}
            </Button>
          }
          key={id}
          title={words.title(name)}
          tone="warning"
        >
          {words.intro}
        </Notice>
      ))}
      {data.otherRole.map(({ member, role }) => (
        <Notice
          action={
            <Button onClick={() => setOther({ member, role })} small>
              {words.roleAction(member.name)}
            </Button>
          }
          key={member.id}
          role="status"
          title={words.roleTitle(member.name, texts.roles[member.role], texts.roles[role])}
        >
          {words.roleIntro}
        </Notice>
      ))}
      {data.left.length === 0 && data.isToCheck && (
        <Notice
          action={
            <Button onClick={() => setIsLooking(true)} small>
              {words.checkAction}
            </Button>
          }
          title={words.checkTitle}
          tone="warning"
        >
          {words.check}
        </Notice>
      )}
      {other && <ChangeListedRole context={context} onClose={close} other={other} />}
      {leaving && <TakeOut member={leaving} onClose={close} />}
      {isLooking && <LookThrough context={context} list={data.list} onClose={close} renewed={data.renewed} />}
    </>
  );
}
