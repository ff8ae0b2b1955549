import { ApiError, type Form } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { queries } from "../api/queries.ts";
import { lockForm } from "../keys/keyring.ts";
import { useMay } from "../organization/membership.ts";
import { useHasPage, useMenu } from "../organization/page-offers.ts";
import { NotForRole } from "../organization/role-gate.tsx";
import { findPage, isWithin, type PageIn, type PageName, pages } from "../pages.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { BackIcon } from "../ui/icons.tsx";
import { NotFound } from "../ui/not-found.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Skeleton, useTitle } from "../ui/page.tsx";
import { RefusedOfForm } from "./refused-notice.tsx";
import { SealBadge } from "./seal-badge.tsx";

const MaybeElsewhere = lazy(
  loading(async () => ({ default: (await import("../organization/other-organizations.tsx")).MaybeElsewhere })),
);

/** The frame of one form: its name, and the way to its parts. */
export function FormFrame() {
  const { formId } = useParams({ from: "/frame/forms/$formId" });
  const form = useQuery(queries.form(formId));
  useLockWithoutAccess(formId, form.error);
  if (form.error instanceof ApiError && (form.error.status === 404 || form.error.status === 400))
    return <NoSuchForm formId={formId} />;
  if (form.isLoadingError) return <ErrorNotice error={form.error} onRetry={() => form.refetch()} />;
  return (
    <>
      {/* On a phone the way back is a mark before the name, so that what came begins near the top. */}
      <Link
        className="float-left -mt-2.5 inline-flex h-8 items-center gap-1.5 rounded pr-3 text-muted hover:text-ink roomy:float-none roomy:mt-0 roomy:mb-3 roomy:h-auto roomy:pr-0 pointer-coarse:h-11 print:hidden"
        to="/"
      >
        <BackIcon />
        <span className="sr-only roomy:not-sr-only">{text.forms.backToForms}</span>
      </Link>
      {form.data === undefined ? (
        <div aria-busy="true" className="grid gap-4">
          <p className="sr-only">{text.common.loading}</p>
          <Skeleton className="h-8 w-56" />
          <Skeleton className="h-5 w-80" />
        </div>
      ) : (
        <LoadedForm
          form={form.data}
          notice={
            // The page below stays: somebody may be typing, or holding a new key, while the connection is away for a moment.
            // That a device is offline is said above every page already.
            form.isRefetchError &&
            navigator.onLine && (
              <div className="mb-4 print:hidden">
                <ErrorNotice error={form.error} onRetry={() => form.refetch()} />
              </div>
            )
          }
        />
      )}
    </>
  );
}

/** A link from an email may lead to a form of another organization than the one that a new sign-in acts for. */
function NoSuchForm({ formId }: { readonly formId: string }) {
  const navigate = useNavigate();
  return (
    <>
      <NotFound hint={text.forms.notFoundHint} title={text.forms.notFound} />
      <Suspense>
        <MaybeElsewhere onSwitched={() => navigate({ to: pages.submissions.path, params: { formId } })} />
      </Suspense>
    </>
  );
}

function LoadedForm({ form, notice }: { readonly form: Form; readonly notice: ReactNode }) {
  const { pathname } = useLocation();
  const here = findPage(pathname.replace(/\/$/, ""));
  const offered = useMenu("form");
  const hasPage = useHasPage();
  const isOpenOffered = here !== undefined && hasPage(here);
  const isRefused = here !== undefined && !isOpenOffered;
  useTitle(titleOf(here, isRefused, form.name));
  // A role that changes while the page is open leads nowhere else: that would take the page away without a word.
  const wasOffered = useRef(false);
  useEffect(() => {
    if (isOpenOffered) wasOffered.current = true;
  });
  return (
    <>
      <div className="-mt-2.5 mb-1 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 roomy:mt-0 roomy:mb-4 pointer-coarse:min-h-11 print:hidden">
        <h1 className="min-w-0 font-semibold text-xl tracking-tight roomy:text-2xl">
          <bdi>{form.name}</bdi>
        </h1>
        <SealBadge encryption={form.settings.encryption} />
        {form.settings.piiStrip && <Badge>{text.forms.stripsPii}</Badge>}
      </div>
      <Tabs formId={form.id} here={here} names={offered} />
      {notice}
      <StateNotices form={form} here={here} />
      {isRefused ? (
        <Elsewhere formId={form.id} isEntry={here === "submissions" && !wasOffered.current} to={offered[0]} />
      ) : (
        <Outlet />
      )}
    </>
  );
}

/** Notices for everybody who works with the form: visitors are refused, it is held, its key is unproved. */
function StateNotices({ form, here }: { readonly form: Form; readonly here: PageName | undefined }) {
  const may = useMay();
  const isUnproved = form.settings.encryption && form.keyProof === "unproved" && form.submissionCount > 0;
  return (
    <>
      {form.refusedVisitors && (
        <div className="mb-5 grid gap-4 print:hidden">
          <RefusedOfForm form={form} here={here} />
        </div>
      )}
      {form.hold !== undefined && (
        <div className="mb-5 print:hidden">
          <Notice title={text.forms.held}>{text.forms.heldHint}</Notice>
        </div>
      )}
      {isUnproved && may("listSubmissions") && (
        <div className="mb-5 print:hidden">
          <Notice title={text.forms.unproved} tone="warning">
            {text.forms.unprovedHint}{" "}
            {may("rotateFormKeys") ? (
              <>
                {text.forms.unprovedRotate}{" "}
                <Link
                  className="font-medium text-accent underline"
                  params={{ formId: form.id }}
                  to="/forms/$formId/keys"
                >
                  {text.forms.unprovedLink}
                </Link>
              </>
            ) : (
              text.forms.unprovedOthers
            )}
          </Notice>
        </div>
      )}
    </>
  );
}

function Tabs({
  names,
  formId,
  here,
}: {
  readonly names: readonly PageIn<"form">[];
  readonly formId: string;
  readonly here: PageName | undefined;
}) {
  const row = useRef<HTMLElement>(null);
  const [fades, setFades] = useState("");
  useEffect(() => {
    if (row.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setFades(findFades(entry.target)));
    observer.observe(row.current);
    return () => observer.disconnect();
  }, []);
  return (
    <nav
      aria-label={text.forms.tabsLabel}
      className={`-mx-4 mb-2 flex gap-1 overflow-x-auto border-line border-b px-4 sm:mx-0 sm:px-0 roomy:mb-6 print:hidden ${fades}`}
      onScroll={(event) => setFades(findFades(event.currentTarget))}
      ref={row}
    >
      {names.map((name) => (
        <Tab formId={formId} isHere={here !== undefined && isWithin(here, name)} key={name} name={name} />
      ))}
    </nav>
  );
}

function Tab({
  name,
  formId,
  isHere,
}: {
  readonly name: PageIn<"form">;
  readonly formId: string;
  readonly isHere: boolean;
}) {
  return (
    <Link
      aria-current={isHere ? "page" : undefined}
      className={`-mb-px whitespace-nowrap border-b-2 px-3 py-1.5 font-medium roomy:py-2 focus-visible:-outline-offset-2 ${isHere ? "border-accent text-ink" : "border-transparent text-muted hover:text-ink"}`}
      params={{ formId }}
      ref={isHere ? showInView : undefined}
      to={pages[name].path}
    >
      {text.pages[name]}
    </Link>
  );
}

/** The part and the form, or why neither is shown. */
function titleOf(here: PageName | undefined, isRefused: boolean, formName: string): string {
  if (here === undefined) return text.common.notFound;
  return isRefused ? text.common.notForRole : `${text.pages[here]} · ${formName}`;
}

/** Tabs that do not fit fade out at the side where there are more of them. */
function findFades({ scrollLeft, scrollWidth, clientWidth }: Element): string {
  const isMoreBefore = scrollLeft > 1;
  const isMoreAfter = scrollLeft + clientWidth < scrollWidth - 1;
  return `${isMoreBefore ? "mask-l-from-[calc(100%-3rem)]" : ""} ${isMoreAfter ? "mask-r-from-[calc(100%-3rem)]" : ""}`;
}

/** A part that is not for the role. Links to a form lead to its submissions: who has another role begins at what it is for. */
function Elsewhere({
  formId,
  isEntry,
  to,
}: {
  readonly formId: string;
  readonly isEntry: boolean;
  readonly to: PageIn<"form"> | undefined;
}) {
  if (!isEntry || to === undefined) return <NotForRole />;
  return <Navigate params={{ formId }} replace to={pages[to].path} />;
}

/** Keys that are open or kept in this browser are locked when their form is out of reach, or the role has no submissions. */
function useLockWithoutAccess(formId: string, error: unknown): void {
  const mayRead = useMay()("listSubmissions");
  const isGone = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    if (isGone || !mayRead) void lockForm(formId);
  }, [formId, isGone, mayRead]);
}

/** On a phone the tabs are wider than the screen: the one that is open should be seen. */
function showInView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest", inline: "center" });
}

/** The form of the page that is shown; only inside the frame, which has loaded it. */
export function useForm(): Form {
  const { formId } = useParams({ from: "/frame/forms/$formId" });
  const { data } = useQuery(queries.form(formId));
  if (data === undefined) throw new Error("There is no form here");
  return data;
}
