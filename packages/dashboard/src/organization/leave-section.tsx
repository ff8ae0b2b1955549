import type { Member } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { isLastOwner } from "./member-queries.ts";
import { organizationsQuery, useMembership } from "./membership.ts";

const { members: texts } = text;

/** Lets the person leave, or says why they can't. To who may not see the members the service says it. */
export function LeaveSection({ members }: { readonly members?: readonly Member[] }) {
  const { user } = useSession();
  const name = useMembership()?.name;
  const [isLeaving, setIsLeaving] = useState(false);
  const [left, setLeft] = useState<string>();
  const place = useFocusInstead<HTMLDivElement>(left !== undefined);
  const self = members?.find(({ id }) => id === user.id);
  if (left !== undefined)
    return (
      <div className="outline-none" ref={place} tabIndex={-1}>
        <Notice role="status" title={texts.left(left || texts.unnamed)} tone="good">
          {texts.leftHint}
        </Notice>
      </div>
    );
  if (name === undefined || (members !== undefined && self === undefined)) return null;
  const isLast = members !== undefined && self !== undefined && isLastOwner(members, self);
  return (
    <Section intro={isLast ? texts.lastOwner : texts.leaveHint} title={texts.leaveSection}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        {members === undefined && name !== "" && (
          <p className="min-w-0 wrap-anywhere font-medium">
            <bdi>{name}</bdi>
          </p>
        )}
        <Button disabled={isLast} onClick={() => setIsLeaving(true)}>
          {texts.leave}
        </Button>
      </div>
      {isLeaving && <LeaveOrganization name={name} onClose={() => setIsLeaving(false)} onLeft={() => setLeft(name)} />}
    </Section>
  );
}

function LeaveOrganization({
  name,
  onClose,
  onLeft,
}: {
  readonly name: string;
  readonly onClose: () => void;
  readonly onLeft: () => void;
}) {
  const queryClient = useQueryClient();
  const leaving = useMutation({
    mutationFn: () => client.members.leave(),
    onSuccess: async () => {
      onLeft();
      // The person may have got another id.
      await queryClient.invalidateQueries({ queryKey: ["session"] });
      // The frame then shows what is left to choose from, in place of this page.
      await queryClient.invalidateQueries(organizationsQuery);
    },
  });
  return (
    <ActionDialog
      action={texts.leave}
      isPending={leaving.isPending}
      look="danger"
      onClose={onClose}
      onConfirm={() => leaving.mutate()}
      title={texts.leaveTitle(name || texts.unnamed)}
    >
      {leaving.isError && <ErrorNotice error={leaving.error} />}
      <p>{texts.leaveIntro}</p>
    </ActionDialog>
  );
}
