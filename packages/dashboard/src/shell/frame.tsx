import type { Organization } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useSyncExternalStore } from "react";
import { isPageHeld } from "../browser/held.ts";
import { useHandedOver } from "../devices/handed-over.ts";
import { useOrganizationQuestion } from "../envelopes/ask-organization.ts";
import { useGivenBack } from "../envelopes/given-back.ts";
import { organizationsQuery } from "../organization/membership.ts";
import { useMenu } from "../organization/page-offers.ts";
import { findPage, isWithin, type PageIn, pages } from "../pages.ts";
import { useLockNotice } from "../personal-key/lock-notice.ts";
import { FreshSessionDialog } from "../session/fresh-session.tsx";
import { sessionQuery } from "../session/session.ts";
import { VerificationBanner } from "../session/verification-banner.tsx";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { HelpLink } from "../ui/help-link.tsx";
import { Mark } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";

/** Not needed to see the page: menus would be a sixth of what is loaded first. */
const AccountMenu = lazy(loading(() => import("./account-menu.tsx")));
const secondFactorNeeded = () => import("../members/second-factor-needed.tsx");
const SecondFactorNeeded = lazy(loading(async () => ({ default: (await secondFactorNeeded()).SecondFactorNeeded })));
const SecondFactorReminder = lazy(
  loading(async () => ({ default: (await secondFactorNeeded()).SecondFactorReminder })),
);
const LeavingBanner = lazy(loading(() => import("../account/leaving-banner.tsx")));
const HandedOverBanner = lazy(loading(() => import("../devices/handed-over-banner.tsx")));
const GivenBackBanner = lazy(loading(() => import("../envelopes/given-back-banner.tsx")));
const EndingBanner = lazy(loading(() => import("../members/ending-banner.tsx")));
const HeldBackBanner = lazy(loading(() => import("../members/held-back-banner.tsx")));
const OrganizationQuestion = lazy(
  loading(async () => ({ default: (await import("../readers/organization-question.tsx")).OrganizationQuestion })),
);
const LockWarning = lazy(loading(() => import("../your-key/lock-warning.tsx")));
const ChooseOrganization = lazy(loading(() => import("../members/choose-organization.tsx")));

/** How often an open page looks whether the role is still the same, even if nothing is refused. */
const roleMilliseconds = 60_000;

/** Everything after the sign-in: the bar on top, and the page below it. The route lets nobody here without a session. */
export function Frame() {
  const { data: session } = useQuery(sessionQuery);
  const membership = useQuery({ ...organizationsQuery, refetchInterval: roleMilliseconds }).data;
  const organizations = membership?.organizations;
  const menu = useMenu("top");
  // It has just ended, and so does the page.
  if (!session) return null;
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        className="sr-only z-20 rounded-lg bg-raised px-4 py-2 shadow-float focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
        href="#content"
      >
        {text.common.skipToContent}
      </a>
      <header className="z-10 border-line tall:sticky tall:top-0 border-b bg-surface print:hidden">
        <div className="mx-auto flex min-h-12 max-w-6xl flex-wrap items-center gap-1 px-4 roomy:min-h-14 sm:gap-4 sm:px-6">
          {/* The name gets what the entries leave, so that they stay in one row with it. */}
          <Link className="flex min-w-7 max-w-max grow-999 basis-0 items-center gap-2 rounded-md font-semibold" to="/">
            <Mark className="size-7" />
            <OrganizationName organizations={organizations} />
          </Link>
          <nav aria-label={text.common.navigation} className="flex grow gap-1">
            {menu.map((name) => (
              <TopLink key={name} name={name} />
            ))}
          </nav>
          <HelpLink
            className="whitespace-nowrap px-2 py-1.5 font-medium text-muted hover:text-ink xs:px-3"
            iconClassName="hidden xs:inline"
            page="start"
          >
            {text.common.help}
          </HelpLink>
          <Suspense fallback={<span className="size-9 rounded-full bg-accent-soft pointer-coarse:size-11" />}>
            <AccountMenu user={session.user} />
          </Suspense>
        </div>
      </header>
      <OfflineBanner />
      <LockAnnouncement />
      <Questions />
      <VerificationBanner />
      <Banners leavesAt={session.user.leavesAt ?? undefined} membership={membership} />
      {/* Focused by the app alone, so that the next Tab continues from here: a ring around the whole page would say nothing. */}
      <main
        className="mx-auto w-full max-w-6xl grow px-4 pt-4 pb-6 outline-none sm:px-6 roomy:py-8"
        id="content"
        tabIndex={-1}
      >
        <InOrganization membership={membership} organizations={organizations}>
          <Outlet />
        </InOrganization>
      </main>
    </div>
  );
}

/** Notices of deletions that are to come, of those that wait after a restore, of what this browser has given back to a restored server, and of a key that has just come from another device. */
function Banners({
  leavesAt,
  membership,
}: {
  readonly leavesAt: number | undefined;
  readonly membership:
    | { readonly organizations: readonly Organization[]; readonly deletionsHeldBackUntil?: number }
    | undefined;
}) {
  const givenBack = useGivenBack();
  const handedOver = useHandedOver();
  const endsAt = membership?.organizations.find(({ current }) => current)?.deletedAt;
  const heldBackUntil = membership?.deletionsHeldBackUntil;
  return (
    <Suspense>
      {leavesAt !== undefined && <LeavingBanner at={leavesAt} />}
      {endsAt !== undefined && <EndingBanner at={endsAt} />}
      {heldBackUntil !== undefined && <HeldBackBanner until={heldBackUntil} />}
      {givenBack > 0 && <GivenBackBanner count={givenBack} />}
      {handedOver !== undefined && <HandedOverBanner {...handedOver} />}
    </Suspense>
  );
}

/** Dialogs for whose answer a page waits, above it. */
function Questions() {
  const organization = useOrganizationQuestion();
  return (
    <>
      <FreshSessionDialog />
      <Suspense>{organization && <OrganizationQuestion {...organization} />}</Suspense>
    </>
  );
}

type Organizations = readonly Organization[] | undefined;
type Membership = { readonly secondFactor: boolean; readonly lacksSecondFactor: boolean } | undefined;

/** Who belongs to several organizations sees which one this is, in place of the product's name. */
function OrganizationName({ organizations }: { readonly organizations: Organizations }) {
  const name = organizations?.find(({ current }) => current)?.name;
  if (!name || organizations?.length === 1)
    return <span className="sr-only xs:not-sr-only">{text.common.product}</span>;
  return <bdi className="min-w-0 max-w-24 truncate sm:max-w-56">{name}</bdi>;
}

/** The page, as long as the session acts for an organization; those about the person alone need none. */
function InOrganization({
  membership,
  organizations,
  children,
}: {
  readonly membership: Membership;
  readonly organizations: Organizations;
  readonly children: ReactNode;
}) {
  const { pathname } = useLocation();
  const isOut = organizations?.some(({ current }) => current) === false;
  if (!needsOrganization(pathname)) return children;
  const requiring = membership?.secondFactor === false ? organizations?.find(requiresSecondFactor) : undefined;
  if (requiring !== undefined && membership?.lacksSecondFactor === true && !isPageHeld())
    return (
      <Suspense>
        <SecondFactorNeeded organization={requiring} />
      </Suspense>
    );
  if (requiring !== undefined)
    return (
      <>
        <Suspense>
          <SecondFactorReminder organization={requiring} />
        </Suspense>
        {children}
      </>
    );
  if (!isOut) return children;
  // A page that holds what leaving it would lose is not taken away.
  if (isPageHeld())
    return (
      <>
        <Notice role="alert" title={text.common.organizationLost} tone="warning">
          {text.common.organizationLostHint}
        </Notice>
        {children}
      </>
    );
  return (
    <Suspense>
      <ChooseOrganization />
    </Suspense>
  );
}

/** Whether a page belongs to an organization, as "not found" pages do, rather than to the person or the instance. */
function needsOrganization(pathname: string): boolean {
  const name = findPage(pathname);
  return name === undefined || pages[name].audience === "member";
}

function requiresSecondFactor({ current, secondFactorRequiredFrom }: Organization): boolean {
  return current && secondFactorRequiredFrom !== null;
}

function TopLink({ name }: { readonly name: PageIn<"top"> }) {
  const here = findPage(useLocation().pathname);
  const isHere = here !== undefined && isWithin(here, name);
  return (
    <Link
      aria-current={isHere ? "page" : undefined}
      className={`whitespace-nowrap rounded-md px-2 py-1.5 font-medium xs:px-3 ${isHere ? "bg-sunken text-ink" : "text-muted hover:text-ink"}`}
      to={pages[name].path}
    >
      {text.pages[name]}
    </Link>
  );
}

/** Always there, so that what comes into it is heard. */
function LockAnnouncement() {
  const notice = useLockNotice();
  // A person who works in one tab keeps the key open in all, whatever the page in front of them has loaded. Without it, nothing is lost but that.
  useEffect(() => void import("../personal-key/personal-key.ts").catch(() => undefined), []);
  return (
    <div aria-live="assertive">
      <Suspense>{notice === "soon" && <LockWarning />}</Suspense>
      {notice === "locked" && <p className="sr-only">{text.common.keyLocked}</p>}
    </div>
  );
}

function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    (notify) => {
      window.addEventListener("online", notify);
      window.addEventListener("offline", notify);
      return () => {
        window.removeEventListener("online", notify);
        window.removeEventListener("offline", notify);
      };
    },
    () => navigator.onLine,
  );
  return (
    <div role="status">
      {!isOnline && (
        <p className="border-warning/30 border-b bg-warning-soft px-4 py-2 text-center text-warning">
          {text.common.offline}
        </p>
      )}
    </div>
  );
}
