import type { Member } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { isLastOwner } from "./member-queries.ts";
import { organizationsQuery, useMay, useMembership } from "./membership.ts";

const { members: texts } = text;

/** Lets the person leave, or says why they can't. */
export function LeaveSection({ members }: { readonly members: readonly Member[] }) {
  const { user } = useSession();
  const self = members.find(({ id }) => id === user.id);
  return self === undefined ? null : <Leave isLast={isLastOwner(members, self)} />;
}

/** The same for roles that don't see the members: they are no owners. */
export function LeaveOwnOrganization() {
  const name = useMembership()?.name;
  const may = useMay();
  return name === undefined || may("listMembers") ? null : <Leave isLast={false} name={name} />;
}

function Leave({ isLast, name = "" }: { readonly isLast: boolean; readonly name?: string }) {
  const [isLeaving, setIsLeaving] = useState(false);
  return (
    <Section intro={isLast ? texts.lastOwner : texts.leaveHint} title={texts.leaveSection}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        {name !== "" && (
          <p className="min-w-0 wrap-anywhere font-medium">
            <bdi>{name}</bdi>
          </p>
        )}
        <Button disabled={isLast} onClick={() => setIsLeaving(true)}>
          {texts.leave}
        </Button>
      </div>
      {isLeaving && <LeaveOrganization onClose={() => setIsLeaving(false)} />}
    </Section>
  );
}

function LeaveOrganization({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const name = useMembership()?.name ?? "";
  const leaving = useMutation({
    mutationFn: () => client.members.leave(),
    onSuccess: async () => {
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
