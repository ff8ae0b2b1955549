import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { orGone } from "../api/attempt.ts";
import { findPasskeySupport } from "../api/passkey-api.ts";
import { RemovalDialog } from "../form-kit/removal-dialog.tsx";
import { type KeyCopy, personalKeyApi } from "../personal-key/personal-key-api.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import type { KeyChange } from "./key-changing.tsx";

const { personalKey } = text;

const texts = personalKey.ways;

/** The ways to unlock the key: with the open key one adds or changes them, without it one removes and restores. */
export function WaysSection({
  copies,
  isOpen,
  onChange,
  said,
}: {
  readonly copies: readonly KeyCopy[];
  readonly isOpen: boolean;
  readonly onChange: (change: KeyChange) => void;
  /** The change that was just made. */
  readonly said: string;
}) {
  const [removing, setRemoving] = useState<KeyCopy>();
  const [done, setDone] = useState("");
  const section = useFocusInstead<HTMLDivElement>(removing === undefined && done);
  const kept = copies.filter(({ removedAt }) => removedAt === null);
  return (
    <Section intro={texts.intro} title={texts.title}>
      <div className="grid gap-4 outline-none" ref={section} tabIndex={-1}>
        <p className="text-accent empty:hidden" role="status">
          {done || said}
        </p>
        <ul aria-label={texts.list} className="divide-y divide-line">
          {kept.map((copy) => (
            <Row copy={copy} key={copy.id}>
              <Button aria-label={texts.removeOf(copy.name)} onClick={() => setRemoving(copy)} small>
                {texts.remove}
              </Button>
            </Row>
          ))}
        </ul>
        {isOpen ? <AddWays kept={kept} onChange={onChange} /> : <p className="text-muted">{texts.locked}</p>}
        <RemovedWays
          onRestored={(copy) => setDone(texts.restored(copy.name))}
          removed={copies.filter(({ removedAt }) => removedAt !== null)}
        />
      </div>
      {removing && (
        <Remove
          copy={removing}
          isLastSheet={removing.way === "sheet" && kept.filter(({ way }) => way === "sheet").length === 1}
          onClose={() => setRemoving(undefined)}
          onRemoved={() => {
            setDone(texts.removed(removing.name));
            setRemoving(undefined);
          }}
        />
      )}
    </Section>
  );
}

function AddWays({
  kept,
  onChange,
}: {
  readonly kept: readonly KeyCopy[];
  readonly onChange: (change: KeyChange) => void;
}) {
  const passphrase = kept.findLast(({ way }) => way === "passphrase");
  return (
    <div className="flex flex-wrap gap-2">
      {passphrase !== undefined ? (
        <Button onClick={() => onChange({ what: "passphrase", replaces: passphrase })}>{texts.change}</Button>
      ) : (
        <Button onClick={() => onChange({ what: "passphrase" })}>{texts.addPassphrase}</Button>
      )}
      {findPasskeySupport() === "available" && (
        <Button onClick={() => onChange({ what: "passkey" })}>{texts.addPasskey}</Button>
      )}
      <Button onClick={() => onChange({ what: "sheet" })}>{texts.addSheet}</Button>
    </div>
  );
}

/** Those that can be put back for a while. */
function RemovedWays({
  removed,
  onRestored,
}: {
  readonly removed: readonly KeyCopy[];
  readonly onRestored: (copy: KeyCopy) => void;
}) {
  const queryClient = useQueryClient();
  const restoring = useMutation({
    mutationFn: (copy: KeyCopy) => withFreshSession(() => personalKeyApi.restore(copy.id)),
    onError: () => queryClient.invalidateQueries(personalKeyQuery),
    onSuccess: async (_answer, copy) => {
      await queryClient.invalidateQueries(personalKeyQuery);
      onRestored(copy);
    },
  });
  return (
    <>
      {restoring.isError && <ErrorNotice error={restoring.error} />}
      {removed.length > 0 && <h3 className="mt-2 font-medium">{texts.removedList}</h3>}
      {removed.length > 0 && (
        <ul aria-label={texts.removedList} className="divide-y divide-line">
          {removed.map((copy) => (
            <Row copy={copy} key={copy.id}>
              <Button
                aria-label={texts.restoreOf(copy.name)}
                onClick={() => restoring.mutate(copy)}
                pending={restoring.isPending && restoring.variables.id === copy.id}
                small
              >
                {texts.restore}
              </Button>
            </Row>
          ))}
        </ul>
      )}
    </>
  );
}

function Row({ copy, children }: { readonly copy: KeyCopy; readonly children: ReactNode }) {
  const { way, name, createdAt, restorableUntil } = copy;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-2.5">
      <div className="min-w-0 flex-1 basis-44">
        <p className="wrap-anywhere">
          <bdi>{name}</bdi>
        </p>
        <p className="text-muted text-sm">
          {texts.kinds[way]}
          {". "}
          {restorableUntil === null ? (
            <>
              {texts.addedOn}
              <Time at={createdAt} />
            </>
          ) : (
            texts.removedUntil + formatDate(restorableUntil)
          )}
        </p>
      </div>
      {children}
    </li>
  );
}

function Remove({
  copy,
  isLastSheet,
  onClose,
  onRemoved,
}: {
  readonly copy: KeyCopy;
  readonly isLastSheet: boolean;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}) {
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: () => orGone(() => withFreshSession(() => personalKeyApi.remove(copy.id)), "key_copy_not_found"),
    // It may be removed elsewhere.
    onError: () => queryClient.invalidateQueries(personalKeyQuery),
    onSuccess: async () => {
      await queryClient.invalidateQueries(personalKeyQuery);
      onRemoved();
    },
  });
  if (isLastSheet)
    return (
      <Dialog
        footer={<Button onClick={onClose}>{text.common.close}</Button>}
        onClose={onClose}
        title={texts.removeTitle(copy.name)}
      >
        <p>{texts.removeLastSheet}</p>
      </Dialog>
    );
  return (
    <RemovalDialog action={texts.remove} onClose={onClose} removing={removing} title={texts.removeTitle(copy.name)}>
      <p>{texts.removeIntro}</p>
    </RemovalDialog>
  );
}
