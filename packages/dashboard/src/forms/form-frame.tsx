import { ApiError, type Form } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { NotFound } from "../shell/not-found.tsx";
import { text } from "../texts/text.ts";
import { BackIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Skeleton, useTitle } from "../ui/page.tsx";
import { SealBadge } from "./forms-page.tsx";

const tabs = [
  ["submissions", "/forms/$formId"],
  ["embed", "/forms/$formId/embed"],
  ["statistics", "/forms/$formId/statistics"],
  ["webhook", "/forms/$formId/webhook"],
  ["keys", "/forms/$formId/keys"],
  ["settings", "/forms/$formId/settings"],
] as const;

/** The frame of one form: its name, and the way to its parts. */
export function FormFrame() {
  const { formId } = useParams({ from: "/frame/forms/$formId" });
  const form = useQuery(queries.form(formId));
  if (form.error instanceof ApiError && (form.error.status === 404 || form.error.status === 400))
    return <NotFound hint={text.forms.notFoundHint} title={text.forms.notFound} />;
  if (form.isLoadingError) return <ErrorNotice error={form.error} onRetry={() => form.refetch()} />;
  return (
    <>
      {/* On a phone the way back is a mark before the name, so that what came begins near the top. */}
      <Link
        className="float-left inline-flex h-8 items-center gap-1.5 rounded pr-3 text-muted hover:text-ink sm:float-none sm:mb-3 sm:h-auto sm:pr-0 print:hidden"
        to="/"
      >
        <BackIcon />
        <span className="max-sm:sr-only">{text.forms.backToForms}</span>
      </Link>
      {form.data === undefined ? (
        <div aria-busy="true" className="grid gap-4">
          <p className="sr-only">{text.common.loading}</p>
          <Skeleton className="h-8 w-56" />
          <Skeleton className="h-5 w-80" />
        </div>
      ) : (
        <>
          {/* The page below stays: somebody may be typing, or holding a new key, while the connection is away for a moment. */}
          {form.isRefetchError && (
            <div className="mb-4 print:hidden">
              <ErrorNotice error={form.error} onRetry={() => form.refetch()} />
            </div>
          )}
          <LoadedForm form={form.data} />
        </>
      )}
    </>
  );
}

function LoadedForm({ form }: { readonly form: Form }) {
  useTitle(form.name);
  const { pathname } = useLocation();
  return (
    <>
      <div className="mb-1 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 sm:mb-4 print:hidden">
        <h1 className="min-w-0 font-semibold text-xl tracking-tight sm:text-2xl">
          <bdi>{form.name}</bdi>
        </h1>
        <SealBadge encryption={form.settings.encryption} />
        {form.settings.piiStrip && <Badge>{text.forms.stripsPii}</Badge>}
      </div>
      <nav
        aria-label={text.forms.tabsLabel}
        className="-mx-4 mb-2 flex gap-1 overflow-x-auto border-line border-b pr-12 pl-4 max-sm:mask-r-from-[calc(100%-3rem)] sm:mx-0 sm:mb-6 sm:px-0 print:hidden"
      >
        {tabs.map(([name, to]) => {
          const path = to.replace("$formId", form.id);
          const here = pathname.replace(/\/$/, "");
          // The bin belongs to the submissions.
          const isHere = here === path || (name === "submissions" && here === `${path}/bin`);
          return (
            <Link
              aria-current={isHere ? "page" : undefined}
              className={`-mb-px whitespace-nowrap border-b-2 px-3 py-1.5 font-medium sm:py-2 focus-visible:-outline-offset-2 ${isHere ? "border-accent text-ink" : "border-transparent text-muted hover:text-ink"}`}
              key={name}
              params={{ formId: form.id }}
              ref={isHere ? showInView : undefined}
              to={to}
            >
              {text.forms.tabs[name]}
            </Link>
          );
        })}
      </nav>
      {form.settings.encryption && form.keyProof === "unproved" && form.submissionCount > 0 && (
        <div className="mb-5 print:hidden">
          <Notice title={text.forms.unproved} tone="warning">
            {text.forms.unprovedHint}{" "}
            <Link className="font-medium text-accent underline" params={{ formId: form.id }} to="/forms/$formId/keys">
              {text.forms.unprovedLink}
            </Link>
          </Notice>
        </div>
      )}
      <Outlet />
    </>
  );
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
