import type { Session } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { orGone } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Badge, Section, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";

/** Where the person is signed in; ends one session, or all but this browser's. */
export function Sessions() {
  const sessions = useQuery(queries.sessions());
  const queryClient = useQueryClient();
  const ending = useMutation({
    mutationFn: async (id: string | undefined): Promise<void> =>
      void (id === undefined
        ? await client.sessions.endOthers()
        : await orGone(() => client.sessions.end(id), "session_not_found")),
    onSettled: () => queryClient.invalidateQueries(queries.sessions()),
  });
  const list = useFocusInstead<HTMLUListElement>(ending.isSuccess && sessions.data);
  const texts = text.account;
  // This browser's first, or it may be anywhere in a long list.
  const shown = (sessions.data?.sessions ?? []).toSorted((a, b) => Number(b.current) - Number(a.current));
  return (
    <Section
      actions={
        shown.length > 1 && (
          <Button onClick={() => ending.mutate(undefined)} pending={ending.isPending} small>
            {texts.revokeOthers}
          </Button>
        )
      }
      intro={texts.sessionsIntro}
      title={texts.sessions}
    >
      {sessions.isPending && <Skeleton className="h-10 w-full" />}
      {sessions.isError && <ErrorNotice error={sessions.error} onRetry={() => sessions.refetch()} />}
      {ending.isError && <ErrorNotice error={ending.error} />}
      <ul aria-label={texts.sessions} className="divide-y divide-line outline-none" ref={list} tabIndex={-1}>
        {shown.map((session) => (
          <SessionRow key={session.id} onEnd={() => ending.mutate(session.id)} session={session} />
        ))}
      </ul>
      <p className="mt-2 text-muted text-sm empty:hidden" role="status">
        {shown.length === 1 ? texts.onlySession : ending.isSuccess && texts.sessionEnded}
      </p>
    </Section>
  );
}

function SessionRow({ session, onEnd }: { readonly session: Session; readonly onEnd: () => void }) {
  const { createdAt, lastUsedAt, current } = session;
  const texts = text.account;
  const name = nameOf(session);
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-2.5">
      <div>
        <p>{name}</p>
        <p className="text-muted text-sm">
          {texts.signedIn}
          <Time at={createdAt} />
          {texts.lastUsed}
          <Time at={lastUsedAt} />
        </p>
      </div>
      {current ? (
        <Badge tone="good">{texts.thisSession}</Badge>
      ) : (
        <Button aria-label={texts.revokeOf(name)} onClick={onEnd} small>
          {texts.revoke}
        </Button>
      )}
    </li>
  );
}

/** A newer version of the service may know more kinds. */
function nameOf({ browser, system }: Session): string {
  const texts = text.account;
  const known = (names: Readonly<Record<string, string>>, key: string | null) =>
    key === null ? undefined : names[key];
  const name = known(texts.browsers, browser);
  const where = known(texts.systems, system);
  if (name === undefined) return texts.unknownBrowser;
  return where === undefined ? name : texts.onSystem(name, where);
}
