import type { FormListItem } from "@sealpost/sdk";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { isKept } from "../api/is-kept.ts";
import { queries } from "../api/queries.ts";
import { RefusedNotices } from "../form/refused-notice.tsx";
import { SealBadge } from "../form/seal-badge.tsx";
import { useFresh } from "../form/seen-mark.ts";
import { findAdmissionLink, findAnswered } from "../organization/admission-link.ts";
import { organizationsQuery, useMay } from "../organization/membership.ts";
import { useSession } from "../session/session.ts";
import { fold } from "../texts/fold.ts";
import { formatNumber } from "../texts/format.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { InboxIcon, PlusIcon, SearchIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Badge, Empty, PageHeader, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";

/** Not part of the first load: there is seldom anything to say. Where its script can't be fetched, the forms are shown without it. */
const UsageNotice = lazy(async () => {
  const loaded = await loading(() => import("../usage/usage-notice.tsx"))().catch(() => undefined);
  return { default: loaded?.UsageNotice ?? (() => null) };
});

const OtherOrganizations = lazy(async () => {
  const loaded = await loading(() => import("../organization/other-organizations.tsx"))().catch(() => undefined);
  return { default: loaded?.default ?? (() => null) };
});

const UnfinishedNotice = lazy(async () => {
  const loaded = await loading(() => import("../readers/unfinished-notice.tsx"))().catch(() => undefined);
  return { default: loaded?.default ?? (() => null) };
});

const UnfinishedJoin = lazy(async () => {
  const loaded = await loading(() => import("../admissions/unfinished-join.tsx"))().catch(() => undefined);
  return { default: loaded?.default ?? (() => null) };
});

export function FormsPage() {
  const forms = useInfiniteQuery(queries.forms());
  const [search, setSearch] = useState("");
  const may = useMay();
  const total = forms.data?.pages[0]?.total ?? 0;
  const all = forms.data?.pages.flatMap((page) => page.forms) ?? [];
  const wanted = fold(search.trim());
  const shown = all.filter((form) => fold(form.name).includes(wanted));
  const isFirstRun = forms.isSuccess && total === 0;
  return (
    <>
      <PageHeader
        actions={may("createForm") && <CreateLink>{text.forms.create}</CreateLink>}
        intro={forms.isSuccess && !isFirstRun ? text.forms.total(total) : undefined}
        title={text.pages.forms}
      />
      {forms.isSuccess && total > 1 && (
        <Search
          onChange={(next) => {
            setSearch(next);
            // Searching means all of them, not only the page that is here.
            if (forms.hasNextPage && !forms.isFetching) void forms.fetchNextPage();
          }}
          value={search}
        />
      )}
      <Notices forms={all} total={total} />
      {forms.isError && <ErrorNotice error={forms.error} onRetry={() => forms.refetch()} />}
      {(forms.isPending || (isFirstRun && isKept(forms))) && <FormSkeletons />}
      {isFirstRun && !isKept(forms) && <FirstRun />}
      {shown.length > 0 && (
        <ul className="card divide-y divide-line overflow-hidden">
          {shown.map((form) => (
            <FormRow form={form} key={form.id} />
          ))}
        </ul>
      )}
      {forms.isSuccess && total > 0 && shown.length === 0 && (
        <NoneFound onClear={() => setSearch("")} search={search} />
      )}
      {forms.hasNextPage && (
        <div className="mt-4 text-center">
          <Button onClick={() => forms.fetchNextPage()} pending={forms.isFetchingNextPage}>
            {text.forms.more}
          </Button>
        </div>
      )}
    </>
  );
}

/** Above the forms: what waits for the person, and what is wrong with a form. */
function Notices({ forms, total }: { readonly forms: readonly FormListItem[]; readonly total: number }) {
  const may = useMay();
  const { user } = useSession();
  const organizations = useQuery(organizationsQuery).data?.organizations ?? [];
  const belongsToSeveral = organizations.length > 1;
  // Somebody was invited to an organization that is not the one with their own id.
  const isJoining =
    findAdmissionLink() !== undefined ||
    findAnswered(user.id) !== undefined ||
    organizations.some(({ id }) => id !== user.id);
  return (
    <div className="mb-4 grid gap-4 empty:hidden">
      <Suspense>{belongsToSeveral && <OtherOrganizations />}</Suspense>
      <Suspense>{isJoining && <UnfinishedJoin />}</Suspense>
      <RefusedNotices forms={forms} />
      <Suspense>{may("getUsage") && <UsageNotice />}</Suspense>
      <Suspense>{may("rotateFormKeys") && total > 0 && <UnfinishedNotice />}</Suspense>
    </div>
  );
}

function CreateLink({ children }: { readonly children: ReactNode }) {
  return (
    <Link className={buttonClass("primary")} to="/forms/new">
      <PlusIcon />
      {children}
    </Link>
  );
}

function Search({ value, onChange }: { readonly value: string; readonly onChange: (search: string) => void }) {
  return (
    <div className="relative mb-4 max-w-sm">
      <SearchIcon className="absolute top-3 left-3 size-4 text-muted" />
      <input
        aria-label={text.forms.search}
        className="control pl-9"
        onChange={(event) => onChange(event.target.value)}
        placeholder={text.forms.search}
        type="search"
        value={value}
      />
    </div>
  );
}

/** Nobody has a form here yet, or the role is for none. */
function FirstRun() {
  const mayCreate = useMay()("createForm");
  return (
    <div className="card">
      <Empty
        action={mayCreate && <CreateLink>{text.forms.firstTitle}</CreateLink>}
        icon={<InboxIcon className="size-6" />}
        title={mayCreate ? text.forms.firstTitle : text.forms.noneForRole}
      >
        {mayCreate ? text.forms.firstIntro : text.forms.noneForRoleIntro}
      </Empty>
    </div>
  );
}

function NoneFound({ search, onClear }: { readonly search: string; readonly onClear: () => void }) {
  return (
    <div className="card">
      <Empty
        action={<Button onClick={onClear}>{text.forms.clearSearch}</Button>}
        icon={<SearchIcon className="size-6" />}
        title={text.forms.noneFound}
      >
        <bdi>{text.forms.noneFoundHint(search.trim())}</bdi>
      </Empty>
    </div>
  );
}

/** Submissions that are deleted by now are not new: never more than there are. */
function findShownFresh(fresh: ReturnType<typeof useFresh>, count: number): ReturnType<typeof useFresh> {
  if (count === 0) return "none";
  return typeof fresh === "number" ? Math.min(fresh, count) : fresh;
}

/** One link over the whole row, so that it is one stop for the keyboard. */
function FormRow({ form }: { readonly form: FormListItem }) {
  const fresh = findShownFresh(useFresh(form), form.submissionCount);
  return (
    <li>
      <Link
        className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3.5 no-underline hover:bg-sunken focus-visible:-outline-offset-2 sm:px-5"
        params={{ formId: form.id }}
        to="/forms/$formId"
      >
        <div className="min-w-0 grow basis-44">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <bdi className="block max-w-full truncate font-medium" dir="auto">
              {form.name}
            </bdi>
            <SealBadge encryption={form.settings.encryption} />
            {form.settings.encryption && form.keyProof === "unproved" && form.submissionCount > 0 && (
              <Badge tone="warning">{text.forms.keyUnproved}</Badge>
            )}
            {form.held && <Badge>{text.forms.heldBadge}</Badge>}
            {fresh !== "none" && <Badge tone="good">{text.forms.fresh(fresh)}</Badge>}
          </div>
          <p className="mt-0.5 text-muted text-sm">
            {form.lastReceivedAt === null ? text.forms.created("") : text.forms.lastReceived}
            <Time at={form.lastReceivedAt ?? form.createdAt} />
          </p>
        </div>
        <div className="shrink-0 text-right">
          <p className="font-semibold text-lg tabular-nums leading-tight">{formatNumber(form.submissionCount)}</p>
          <p className="text-muted text-sm">
            {form.submissionCount === 1 ? text.forms.submission : text.forms.submissions}
          </p>
        </div>
      </Link>
    </li>
  );
}

function FormSkeletons() {
  return (
    <div aria-busy="true" className="card divide-y divide-line">
      <p className="sr-only">{text.common.loading}</p>
      {["a", "b", "c"].map((key) => (
        <div className="flex items-center justify-between gap-4 px-5 py-4" key={key}>
          <div className="grid grow gap-2">
            <Skeleton className="h-4 w-48" />
            <Skeleton className="h-3 w-28" />
          </div>
          <Skeleton className="h-6 w-10" />
        </div>
      ))}
    </div>
  );
}
