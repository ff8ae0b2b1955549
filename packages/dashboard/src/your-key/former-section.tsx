import { restoreKey } from "@sealpost/vault";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { loadSeenKeys } from "../envelopes/heads.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { askPersonalKey, lockPersonalKey } from "../personal-key/personal-key.ts";
import { type FormerKey, personalKeyApi } from "../personal-key/personal-key-api.ts";
import { personalKeyQuery, type StoredPersonalKey } from "../personal-key/personal-key-query.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useSession } from "../session/session.ts";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";

const { personalKeyReplaced } = text;

const texts = personalKeyReplaced.former;

const sectionId = "former-keys";

/** Leads to them from elsewhere on the page. */
export function focusFormerKeys(): void {
  document.getElementById(sectionId)?.focus();
}

/** Keys that were replaced, each of which can be brought back for 30 days; and what to do where somebody else did it. */
export function FormerSection({ stored, isOpen }: { readonly stored: StoredPersonalKey; readonly isOpen: boolean }) {
  const [restoring, setRestoring] = useState<FormerKey>();
  const [done, setDone] = useState("");
  const section = useFocusInstead<HTMLDivElement>(restoring === undefined && done);
  if (stored.formerKeys.length === 0 && done === "") return null;
  return (
    <Section intro={texts.intro} title={texts.title}>
      <div className="grid gap-4 outline-none" id={sectionId} ref={section} tabIndex={-1}>
        <p className="text-accent empty:hidden" role="status">
          {done}
        </p>
        <ul aria-label={texts.title} className="divide-y divide-line">
          {stored.formerKeys.map((former) => (
            <li className="flex flex-wrap items-center justify-between gap-3 py-2.5" key={former.signingKey}>
              <div className="min-w-0 flex-1 basis-44">
                <p>
                  {texts.made}
                  <Time at={former.createdAt} />
                  {texts.replaced}
                  <Time at={former.replacedAt} />
                </p>
                <p className="text-muted text-sm">
                  {texts.ways(former.copies.filter(({ removedAt }) => removedAt === null).length)}{" "}
                  {texts.until(formatDate(former.restorableUntil))}
                </p>
              </div>
              <Button onClick={() => setRestoring(former)} small>
                {texts.restore}
              </Button>
            </li>
          ))}
        </ul>
      </div>
      {restoring && (
        <Restoring
          former={restoring}
          isOpen={isOpen}
          onClose={() => setRestoring(undefined)}
          onDone={() => {
            setRestoring(undefined);
            setDone(texts.done);
          }}
          stored={stored}
        />
      )}
    </Section>
  );
}

function Restoring({
  former,
  stored,
  isOpen,
  onClose,
  onDone,
}: {
  readonly former: FormerKey;
  readonly stored: StoredPersonalKey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const queryClient = useQueryClient();
  const { user } = useSession();
  const restoring = useMutation({
    mutationFn: async () => {
      const { signingKey } = former;
      const replaces = stored.halves.signingKey;
      await restoreKey({
        seenKeys: await loadSeenKeys(),
        personId: user.id,
        former,
        sealFor: isOpen ? (recipient) => askPersonalKey("sealCopy", { recipient }) : undefined,
        send: (formerCopy) => withFreshSession(() => personalKeyApi.restoreKey({ signingKey, replaces, formerCopy })),
      });
      lockPersonalKey();
    },
    onError: () => queryClient.invalidateQueries(personalKeyQuery),
    onSuccess: async () => {
      await queryClient.invalidateQueries(personalKeyQuery);
      onDone();
    },
  });
  return (
    <ActionDialog
      action={texts.restore}
      isPending={restoring.isPending}
      onClose={onClose}
      onConfirm={() => restoring.mutate()}
      title={texts.restoreTitle}
    >
      {restoring.isError && <ErrorNotice error={restoring.error} />}
      <p>{texts.restoreIntro}</p>
      <p>{texts.restoreOwn}</p>
      <p className="text-muted">{texts.restorePassword}</p>
    </ActionDialog>
  );
}
