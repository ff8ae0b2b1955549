import { useMutation } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { PageUnreachable, restartWhenReachable } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "./button.tsx";
import { AlertIcon, Mark, SearchIcon } from "./icons.tsx";
import { ErrorNotice } from "./notice.tsx";
import { Empty, useTitle } from "./page.tsx";

export function NotFound({
  title = text.common.notFound,
  hint = text.common.notFoundHint,
  isPage = true,
}: {
  readonly title?: string;
  readonly hint?: string;
  /** Not inside of a page that has a title of its own. */
  readonly isPage?: boolean;
}) {
  useTitle(title);
  return (
    <Empty
      action={
        <Link className={buttonClass("primary")} to="/">
          {text.common.toForms}
        </Link>
      }
      icon={<SearchIcon className="size-6" />}
      isPage={isPage}
      title={title}
    >
      {hint}
    </Empty>
  );
}

/** An address where the app has no page: outside of the frame, so for people without an account as well. */
export function NowhereFound() {
  useTitle(text.common.notFound);
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center gap-6 px-4 py-10" id="content">
      <div className="flex items-center gap-2.5 font-semibold text-lg">
        <Mark />
        {text.common.product}
      </div>
      <div className="card grid justify-items-start gap-4 p-6 sm:p-8">
        <h1 className="font-semibold text-2xl tracking-tight">{text.common.notFound}</h1>
        <p className="text-muted">{text.common.nowhereHint}</p>
        <Link className={buttonClass("primary")} to="/">
          {text.common.toStart}
        </Link>
      </div>
    </main>
  );
}

/** A page whose script did not load, or an error of the app itself. Shows nothing of the error: it may hold what somebody wrote. */
export function Crashed({ error }: { readonly error: unknown }) {
  return error instanceof PageUnreachable ? <PageMissing /> : <Crash />;
}

function PageMissing() {
  const trying = useMutation({ mutationFn: restartWhenReachable });
  const { errors } = text.common;
  useTitle(errors.offline);
  return (
    <Empty
      action={
        <Button look="primary" onClick={() => trying.mutate()} pending={trying.isPending}>
          {text.common.retry}
        </Button>
      }
      icon={<AlertIcon className="size-6" />}
      isPage
      title={errors.offline}
    >
      {errors.offlineHint}
    </Empty>
  );
}

function Crash() {
  useTitle(text.common.crashed);
  return (
    <Empty
      action={
        <Button look="primary" onClick={() => window.location.reload()}>
          {text.common.reload}
        </Button>
      }
      icon={<AlertIcon className="size-6" />}
      isPage
      title={text.common.crashed}
    >
      {text.common.crashedHint}
    </Empty>
  );
}

/** While it is not known yet who is signed in, if that takes more than a moment. */
export function Starting() {
  return (
    <main className="mx-auto grid max-w-xl gap-6 p-6">
      <Mark />
      <p className="text-muted" role="status">
        {text.common.loading}
      </p>
    </main>
  );
}

/** The server could not say who is signed in, so there is nothing to show but that. */
export function Unreachable({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const router = useRouter();
  useTitle(text.common.notStarted);
  return (
    <main className="mx-auto grid max-w-xl gap-6 p-6">
      <Mark />
      <h1 className="font-semibold text-2xl tracking-tight">{text.common.notStarted}</h1>
      <ErrorNotice
        error={error}
        onRetry={() => {
          onRetry();
          void router.invalidate();
          // Nothing was typed here, and a script that could not be fetched would stay so.
          void restartWhenReachable();
        }}
      />
    </main>
  );
}
