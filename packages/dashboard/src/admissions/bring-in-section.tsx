import type { Admission, Member } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { manageableRoles, memberListTextQuery, readingRoles } from "../organization/member-queries.ts";
import { useMembership } from "../organization/membership.ts";
import { nameOf } from "../organization/names.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { admissionsQuery } from "./admissions-query.ts";
import { FinishDialog } from "./finish-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";

const { admissions: texts } = text;

/** The members that this person may bring in, with the admissions that wait, and the members that are in the list already. */
function useCandidates(members: readonly Member[]) {
  const { user } = useSession();
  const manageable = manageableRoles(useMembership()?.role);
  const list = useQuery(memberListTextQuery).data;
  // Somebody may answer at the same table; a page that is loaded again is locked.
  const open = useQuery({
    ...admissionsQuery,
    refetchInterval: ({ state }) => state.data?.some(({ answeredAt }) => answeredAt === null) === true && 5_000,
  });
  const others = members.filter(({ id, disabled, role }) => id !== user.id && !disabled && manageable.includes(role));
  const rows = others.flatMap((member) => {
    const admission = open.data?.find(
      ({ person, email }) => person === member.id || (person === null && email === member.email),
    );
    return admission !== undefined || isListed(list, member) === false ? [{ member, admission }] : [];
  });
  const listed = others.filter((member) => isListed(list, member) && !rows.some((row) => row.member === member));
  return { rows, listed };
}

/** Members without a key in the signed list. Only people who may bring them in see it. */
export default function BringInSection({ members }: { readonly members: readonly Member[] }) {
  const queryClient = useQueryClient();
  const { rows, listed } = useCandidates(members);
  const [linking, setLinking] = useState<Member>();
  const [finishing, setFinishing] = useState<{ readonly admission: Admission; readonly member: Member }>();
  const [said, setSaid] = useState("");
  const [hasChanged, setHasChanged] = useState(false);
  const revoking = useMutation({
    mutationFn: (id: string) => client.admissions.revoke(id),
    onSuccess: () => {
      setSaid(texts.revoked);
      setHasChanged(true);
      return queryClient.invalidateQueries(admissionsQuery);
    },
  });
  const close = (what = "") => {
    setLinking(undefined);
    setFinishing(undefined);
    setSaid(what);
    setHasChanged(true);
    void queryClient.invalidateQueries(admissionsQuery);
    void queryClient.invalidateQueries(memberListTextQuery);
  };
  const shown = [
    said,
    ...rows.map(({ member, admission }) => `${member.id} ${admission?.id} ${admission?.answeredAt}`),
  ];
  const place = useFocusInstead<HTMLDivElement>(hasChanged && shown.join("\n"));
  const waiting = rows.filter(({ admission }) => admission?.answeredAt != null).length;
  if (rows.length === 0 && listed.length === 0 && said === "") return null;
  return (
    <Section intro={texts.intro} title={texts.section}>
      <div className="grid gap-4 outline-none" ref={place} tabIndex={-1}>
        {waiting > 0 && <Notice title={texts.waiting(waiting)} />}
        <div className="empty:hidden" role="status">
          {said !== "" && <Notice tone="good">{said}</Notice>}
        </div>
        {revoking.isError && <ErrorNotice error={revoking.error} />}
        <ul aria-label={texts.section} className="divide-y divide-line empty:hidden">
          {rows.map(({ member, admission }) => (
            <Row
              admission={admission}
              key={member.id}
              member={member}
              onFinish={() => admission && setFinishing({ admission, member })}
              onLink={() => setLinking(member)}
              onRevoke={() => admission && revoking.mutate(admission.id)}
            />
          ))}
        </ul>
        {listed.length > 0 && <OtherKey listed={listed} onLink={setLinking} />}
      </div>
      {linking !== undefined && <LinkDialog member={linking} onClose={close} />}
      {finishing !== undefined && <FinishDialog {...finishing} onClose={close} />}
    </Section>
  );
}

/** Members of the list who have another key by now. */
function OtherKey({
  listed,
  onLink,
}: {
  readonly listed: readonly Member[];
  readonly onLink: (member: Member) => void;
}) {
  return (
    <details>
      <summary className="cursor-pointer py-3 font-medium text-sm">{texts.otherKey}</summary>
      <p className="mt-2 text-muted text-sm">{texts.otherKeyHint}</p>
      <ul className="mt-2 flex flex-wrap gap-2">
        {listed.map((member) => (
          <li key={member.id}>
            <Button onClick={() => onLink(member)} small>
              {texts.makeOf(nameOf(member))}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** By the text of the list, unchecked: it only decides what is offered. `undefined` while there is none, and of who reads nothing. */
function isListed(list: string | undefined, { id, role }: Member): boolean | undefined {
  return readingRoles.includes(role) ? list?.includes(`"id":"${id}"`) : undefined;
}

function Row({
  member,
  admission,
  onLink,
  onFinish,
  onRevoke,
}: {
  readonly member: Member;
  readonly admission: Admission | undefined;
  readonly onLink: () => void;
  readonly onFinish: () => void;
  readonly onRevoke: () => void;
}) {
  const name = nameOf(member);
  const isAnswered = admission?.answeredAt != null;
  return (
    <li className="flex flex-wrap items-center gap-2 py-3">
      <p className="wrap-anywhere min-w-0 grow basis-full sm:basis-48">
        <bdi className="font-medium">{name}</bdi>{" "}
        <span className="text-muted">
          {isAnswered ? texts.answered : admission === undefined ? texts.missing : texts.sent}
        </span>
      </p>
      {isAnswered && (
        <Button aria-label={texts.finishOf(name)} look="primary" onClick={onFinish} small>
          {texts.finish}
        </Button>
      )}
      {admission === undefined && (
        <Button aria-label={texts.makeOf(name)} onClick={onLink} small>
          {texts.make}
        </Button>
      )}
      {admission !== undefined && (
        <>
          <Button aria-label={texts.againOf(name)} onClick={onLink} small>
            {texts.again}
          </Button>
          <Button aria-label={texts.revokeOf(name)} onClick={onRevoke} small>
            {texts.revoke}
          </Button>
        </>
      )}
    </li>
  );
}
