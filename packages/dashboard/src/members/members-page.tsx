import type { Member } from "@sealpost/sdk";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { admissionsQuery } from "../admissions/admissions-query.ts";
import { queries } from "../api/queries.ts";
import { LeaveSection } from "../organization/leave-section.tsx";
import { invitationsQuery, memberListTextQuery, membersQuery } from "../organization/member-queries.ts";
import { MemberRow } from "../organization/member-row.tsx";
import { useMay } from "../organization/membership.ts";
import { nameOf } from "../organization/names.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { ListLoading } from "../ui/long-list.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { PageHeader, Section } from "../ui/page.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { InvitationList } from "./invitation-list.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { ChangeMember, RemoveMember } from "./member-dialogs.tsx";
import { OrganizationSection } from "./organization-section.tsx";
import { RolesOverview } from "./roles-overview.tsx";
import { SecondFactorRule } from "./second-factor-rule.tsx";
import { type NamedForm, WebhooksLeft } from "./webhooks-left.tsx";

const { members: texts } = text;

/** As the notice below. */
const loadBringIn = () => import("../admissions/bring-in-section.tsx").catch(() => undefined);
const BringInSection = lazy(async () => ({ default: (await loadBringIn())?.default ?? (() => null) }));
const TakeOut = lazy(loading(() => import("../readers/take-out.tsx")));
/** Where its script can't be fetched, the members are shown without it. */
const loadUnfinished = () => import("../readers/unfinished-notice.tsx").catch(() => undefined);
const UnfinishedNotice = lazy(async () => ({ default: (await loadUnfinished())?.default ?? (() => null) }));
const { recovery } = texts;

/** The members of the organization with their roles, whom it invited, and the organization itself. */
export function MembersPage() {
  const may = useMay();
  const mayInvite = may("createInvitation");
  const list = useQuery(membersQuery);
  const isComing = useIsComing();
  useComing();
  const [isInviting, setIsInviting] = useState(false);
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        actions={
          mayInvite && (
            <Button icon={<PlusIcon />} look="primary" onClick={() => setIsInviting(true)}>
              {texts.invite}
            </Button>
          )
        }
        intro={
          <>
            {texts.intro} <HelpLink page="teams">{texts.guideLink}</HelpLink>
          </>
        }
        title={text.pages.members}
      />
      <div className="grid gap-5">
        {list.isError && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
        {isComing ? (
          <ListLoading />
        ) : (
          <Suspense fallback={<ListLoading />}>
            <Parts />
          </Suspense>
        )}
      </div>
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </div>
  );
}

/** Everybody, their keys, and what is the organization's. */
function Parts() {
  const may = useMay();
  const { data: list } = useQuery(membersQuery);
  const invitations = useQuery({ ...invitationsQuery, enabled: may("createInvitation") });
  const isAlone = list?.total === 1 && (invitations.data?.total ?? 0) === 0;
  return (
    <>
      <UnfinishedNotice />
      {isAlone && (
        <Section intro={texts.aloneIntro} title={texts.aloneTitle}>
          <RolesOverview />
        </Section>
      )}
      {list && <MemberList members={list.members} />}
      {may("createAdmission") && list && <BringInSection members={list.members} />}
      {invitations.isError && <ErrorNotice error={invitations.error} onRetry={() => invitations.refetch()} />}
      {invitations.data && <InvitationList invitations={invitations.data.invitations} />}
      {list && !isAlone && (
        <Section title={texts.rolesTitle}>
          <RolesOverview />
        </Section>
      )}
      <OrganizationSection />
      {list && <SecondFactorRule members={list.members} />}
      <Section intro={recovery.intro} title={text.pages.recovery}>
        <Link className={buttonClass()} to="/recovery">
          {recovery.link}
        </Link>
      </Section>
      {list && list.total > 1 && <LeaveSection members={list.members} />}
    </>
  );
}

/** Whether a list of the page is on its way: what is below it would move away under the finger once it comes. */
function useIsComing(): boolean {
  const may = useMay();
  const mayBringIn = may("createAdmission");
  const lists = [
    useQuery(membersQuery),
    useQuery({ ...invitationsQuery, enabled: may("createInvitation") }),
    useQuery({ ...admissionsQuery, enabled: mayBringIn }),
    useQuery({ ...memberListTextQuery, enabled: mayBringIn }),
  ];
  return lists.some(({ isLoading }) => isLoading);
}

/** Requests of the page's parts, sent together with its lists' requests: on a slow connection nobody waits for them one after the other. */
function useComing(): void {
  const may = useMay();
  const mayBringIn = may("createAdmission");
  useQuery({ ...personalKeyQuery, enabled: mayBringIn });
  useInfiniteQuery(queries.forms());
  useEffect(() => {
    if (mayBringIn) void Promise.all([loadBringIn(), loadUnfinished()]);
  }, [mayBringIn]);
}

function MemberList({ members }: { readonly members: readonly Member[] }) {
  const [changing, setChanging] = useState<Member>();
  const [removing, setRemoving] = useState<Member>();
  const [removed, setRemoved] = useState<Member>();
  const [webhookForms, setWebhookForms] = useState<readonly NamedForm[]>([]);
  const isListed = useIsListed();
  const [done, setDone] = useState("");
  const status = useFocusInstead<HTMLDivElement>(done);
  return (
    <div>
      <div className="mb-3 outline-none empty:hidden" ref={status} role="status" tabIndex={-1}>
        {done !== "" && <Notice tone="good">{done}</Notice>}
      </div>
      <WebhooksLeft forms={webhookForms} />
      <ul aria-label={texts.list} className="card divide-y divide-line">
        {members.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            members={members}
            onChange={() => setChanging(member)}
            onRemove={() => setRemoving(member)}
          />
        ))}
      </ul>
      {changing !== undefined && (
        <ChangeMember
          member={changing}
          onChanged={(webhookForms) => {
            setWebhookForms(webhookForms);
            setChanging(undefined);
            setDone(texts.changed);
          }}
          onClose={() => setChanging(undefined)}
        />
      )}
      {removing !== undefined && (
        <RemoveMember
          member={removing}
          onClose={() => setRemoving(undefined)}
          onRemoved={(webhookForms) => {
            setWebhookForms(webhookForms ?? []);
            setRemoving(undefined);
            setDone((webhookForms === undefined ? texts.removedBefore : texts.removed)(nameOf(removing)));
            if (isListed(removing.id)) setRemoved(removing);
          }}
        />
      )}
      {removed !== undefined && (
        <Suspense>
          <TakeOut member={{ id: removed.id, name: nameOf(removed) }} onClose={() => setRemoved(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

/** Whether the signed list, which nobody has checked here, names a member: then there is something to be taken out of it. */
function useIsListed(): (id: string) => boolean {
  const may = useMay();
  const { data } = useQuery({ ...memberListTextQuery, enabled: may("rotateFormKeys") });
  return (id) => data?.includes(`"id":"${id}"`) === true;
}
