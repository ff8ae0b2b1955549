import type { ReactNode } from "react";
import { Cancelled, describeError } from "../api/describe-error.ts";
import { pages } from "../pages.ts";
import { text } from "../texts/text.ts";
import { Button } from "./button.tsx";
import { AlertIcon, CheckIcon, InfoIcon } from "./icons.tsx";

type Tone = "info" | "good" | "warning" | "danger";

const tones: Readonly<Record<Tone, string>> = {
  info: "border-line bg-sunken",
  good: "border-accent/30 bg-accent-soft",
  warning: "border-warning/30 bg-warning-soft",
  danger: "border-danger/30 bg-danger-soft",
};
const iconColours: Readonly<Record<Tone, string>> = {
  info: "text-muted",
  good: "text-accent",
  warning: "text-warning",
  danger: "text-danger",
};

export function Notice({
  tone = "info",
  title,
  children,
  action,
  role,
}: {
  readonly tone?: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  readonly role?: "alert" | "status";
}) {
  const Icon = tone === "good" ? CheckIcon : tone === "info" ? InfoIcon : AlertIcon;
  return (
    <div
      className={`flex ${action ? "flex-wrap" : ""} items-center gap-3 rounded-lg border px-4 py-3 ${tones[tone]}`}
      role={role}
    >
      {/* Wide enough that on a phone the action comes below the text instead of making a column of it. */}
      <div className={`flex min-w-0 grow basis-64 gap-3 ${title && children ? "items-start" : "items-center"}`}>
        <span className={`${title && children ? "mt-0.5" : ""} ${iconColours[tone]}`}>
          <Icon className="size-5" />
        </span>
        <div className="min-w-0 grow">
          {title && <p className="font-medium">{title}</p>}
          {children && <div className={title ? "text-sm" : ""}>{children}</div>}
        </div>
      </div>
      {action}
    </div>
  );
}

/** While what is to be here is loaded. Nobody waits for this sentence: it takes no page and no dialog along (`reveal-messages.ts`). */
export function Loading({ children = text.common.loading }: { readonly children?: ReactNode }) {
  return (
    <p data-loading role="status">
      {children}
    </p>
  );
}

/** An error: what failed, what to do about it, and a way to try again. */
export function ErrorNotice({
  error,
  what,
  onRetry,
  onClose,
  isRepeatable = false,
}: {
  readonly error: unknown;
  /** The failed action, where the place alone does not say it; or what may have happened nevertheless. */
  readonly what?: string | undefined;
  readonly onRetry?: () => void;
  readonly onClose?: () => void;
  /** The page can't show what became of a change that was not answered, and the same press finds out. */
  readonly isRepeatable?: boolean;
}) {
  if (error instanceof Cancelled) return null;
  const { title, hint, original, requestId, isSessionOver, ...described } = describeError(error);
  const perhaps = described.perhaps && isRepeatable ? text.common.errors.perhapsAgain : described.perhaps;
  return (
    <Notice
      action={
        (onRetry || onClose) && (
          <Button onClick={onRetry ?? onClose} small>
            {onRetry ? text.common.retry : text.common.close}
          </Button>
        )
      }
      role="alert"
      title={title}
      tone="danger"
    >
      {(what ?? perhaps) && <span className="block">{what ?? perhaps}</span>}
      {hint}
      {original && (
        <span className="mt-1 block text-sm">
          {original[0]}{" "}
          <bdi lang="en" translate="no">
            {original[1]}
          </bdi>
        </span>
      )}
      {isSessionOver && <SignInElsewhere />}
      {requestId && <span className="mt-1 block font-mono text-muted text-xs">{text.common.requestId(requestId)}</span>}
    </Notice>
  );
}

/** The way to sign in must not lead away from the page, in which alone lives what it holds. */
function SignInElsewhere() {
  return (
    <>
      {" "}
      <a className="font-medium text-accent underline" href={pages.signIn.path} rel="noreferrer" target="_blank">
        {text.common.errors.sessionOverLink} <span className="sr-only">{text.common.newTab}</span>
      </a>
    </>
  );
}
