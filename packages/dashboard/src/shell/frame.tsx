import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useLocation } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { findSignUpState, sessionQuery } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Mark } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { AccountMenu } from "./account-menu.tsx";

/** Everything behind the sign-in: the bar on top, and the page below it. */
export function Frame() {
  const session = useQuery(sessionQuery);
  const { pathname } = useLocation();
  if (session.isPending) return <p className="sr-only">{text.common.loading}</p>;
  if (session.isError)
    return (
      <main className="mx-auto max-w-xl p-6">
        <ErrorNotice error={session.error} onRetry={() => session.refetch()} />
      </main>
    );
  if (session.data === null) {
    if (findSignUpState() === "first") return <Navigate replace to="/setup" />;
    return <Navigate replace search={pathname === "/" ? {} : { next: pathname }} to="/sign-in" />;
  }
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        className="sr-only z-20 rounded-lg bg-raised px-4 py-2 shadow-float focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
        href="#content"
      >
        {text.common.skipToContent}
      </a>
      <header className="sticky top-0 z-10 border-line border-b bg-surface print:hidden">
        <div className="mx-auto flex h-14 max-w-6xl items-center gap-1 px-4 sm:gap-4 sm:px-6">
          <Link className="flex items-center gap-2 rounded-md font-semibold" to="/">
            <Mark className="size-7" />
            <span className="hidden xs:inline">{text.common.product}</span>
          </Link>
          <nav aria-label={text.common.navigation} className="flex grow gap-1">
            <TopLink exact to="/">
              {text.common.forms}
            </TopLink>
            <TopLink to="/api-keys">{text.common.apiKeys}</TopLink>
          </nav>
          <AccountMenu email={session.data.user.email} name={session.data.user.name} />
        </div>
      </header>
      <OfflineBanner />
      <main className="mx-auto w-full max-w-6xl grow px-4 py-6 sm:px-6 sm:py-8" id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

function TopLink({
  to,
  exact = false,
  children,
}: {
  readonly to: "/" | "/api-keys";
  readonly exact?: boolean;
  readonly children: string;
}) {
  const { pathname } = useLocation();
  const isHere = exact ? pathname === "/" || pathname.startsWith("/forms") : pathname.startsWith(to);
  return (
    <Link
      aria-current={isHere ? "page" : undefined}
      className={`rounded-md px-3 py-1.5 font-medium ${isHere ? "bg-sunken text-ink" : "text-muted hover:text-ink"}`}
      to={to}
    >
      {children}
    </Link>
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
