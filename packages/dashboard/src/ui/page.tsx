import { type ReactNode, useEffect } from "react";
import { text } from "../texts/text.ts";

/** Names the page in the browser's title. Never with content of submissions. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${text.common.product}`;
  }, [title]);
}

/** The head of a page: its name, what it is about, and what can be done here. */
export function PageHeader({
  title,
  intro,
  actions,
}: {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
}) {
  useTitle(title);
  return (
    <div className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="font-semibold text-2xl tracking-tight">{title}</h1>
        {intro && <p className="mt-1 max-w-2xl text-muted">{intro}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section({
  id,
  title,
  intro,
  children,
  actions,
  tone = "plain",
}: {
  /** For links that lead right here. */
  readonly id?: string;
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly tone?: "plain" | "danger";
}) {
  return (
    <section className={`card scroll-mt-16 p-5 sm:p-6 ${tone === "danger" ? "border-danger/40!" : ""}`} id={id}>
      <div className="flex flex-wrap items-start justify-between gap-3 sm:flex-nowrap">
        <div className="min-w-0">
          <h2 className="font-semibold text-lg">{title}</h2>
          {intro && <p className="mt-0.5 max-w-2xl text-muted">{intro}</p>}
        </div>
        {actions && <div className="max-w-full shrink-0">{actions}</div>}
      </div>
      <div className="mt-4 empty:hidden has-[>:only-child:empty]:mt-0">{children}</div>
    </section>
  );
}

export function Skeleton({ className = "h-4 w-full" }: { readonly className?: string }) {
  return <span aria-hidden="true" className={`block animate-pulse rounded bg-line ${className}`} data-loading />;
}

/** The place of a part that may come or not. */
export function Awaited() {
  return <span data-loading hidden />;
}

/** Nothing to show, said kindly, with the way on. */
export function Empty({
  icon,
  title,
  children,
  action,
  isPage = false,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  /** It is all that the page shows, so its title is the page's. */
  readonly isPage?: boolean;
}) {
  const Heading = isPage ? "h1" : "h2";
  return (
    // The crawls of the tests look for empty places: what they show of a list is in none of them.
    <div className="grid justify-items-center gap-2 px-6 py-16 text-center" data-empty={isPage ? undefined : ""}>
      <span className="mb-2 grid size-12 place-items-center rounded-full bg-accent-soft text-accent">{icon}</span>
      <Heading className="font-semibold text-lg">{title}</Heading>
      {children && <div className="max-w-md text-muted">{children}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}

export function Badge({
  children,
  tone = "neutral",
  isLong = false,
}: {
  readonly children: ReactNode;
  readonly tone?: "neutral" | "good" | "warning" | "danger";
  /** A sentence, which takes several lines on a phone. */
  readonly isLong?: boolean;
}) {
  const colours = {
    neutral: "bg-sunken text-muted border-line",
    good: "bg-accent-soft text-accent border-accent/25",
    warning: "bg-warning-soft text-warning border-warning/25",
    danger: "bg-danger-soft text-danger border-danger/25",
  } as const;
  return (
    <span
      className={`inline-flex items-center gap-1 ${isLong ? "wrap-anywhere rounded-xl" : "whitespace-nowrap rounded-full"} border px-2 py-0.5 font-medium text-xs ${colours[tone]}`}
    >
      {children}
    </span>
  );
}
