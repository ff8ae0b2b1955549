import { findMeant, passphraseWords, splitWords } from "@sealpost/envelope";
import type { PersonWithKey } from "@sealpost/vault";
import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { PasskeyRefused } from "../api/passkey-api.ts";
import { loadSeenKeys } from "../envelopes/heads.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { noteExposure } from "../personal-key/exposed-passphrase.ts";
import type { KeyCopy, Way as KeyWay } from "../personal-key/personal-key-api.ts";
import { personalKeyQuery, type StoredPersonalKey } from "../personal-key/personal-key-query.ts";
import { seenKeyQuery } from "../personal-key/seen-key-query.ts";
import { unlockPersonalKey } from "../personal-key/unlock.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { LockIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { describeUnlockError, waysOf } from "./describe-unlock-error.ts";
import { KeyChanged } from "./key-changed.tsx";
import { PassphraseField } from "./passphrase-field.tsx";
import { SheetInput } from "./sheet-input.tsx";

const { personalKey } = text;

/** Loaded when somebody asks for it. */
const ReceiveDevice = lazy(async () => ({ default: (await import("../devices/receive-device.tsx")).ReceiveDevice }));

const texts = personalKey.unlock;

/** Unlocks the person's key in one of the ways that they have. `onOpen` is called once it is open, in every tab. */
export function UnlockPersonalKey({ onOpen }: { readonly onOpen?: () => void }) {
  const stored = useQuery(personalKeyQuery);
  if (stored.isLoadingError) return <ErrorNotice error={stored.error} onRetry={() => stored.refetch()} />;
  if (!stored.data) return <Skeleton className="h-24 w-full" />;
  return <Unlocking stored={stored.data} {...(onOpen && { onOpen })} />;
}

function Unlocking({ stored, onOpen }: { readonly stored: StoredPersonalKey; readonly onOpen?: () => void }) {
  const { user } = useSession();
  const [isNamedAccepted, setIsNamedAccepted] = useState(false);
  const { data: seen } = useQuery(seenKeyQuery(user.id, stored.halves));
  const { halves: named, formerKeys } = stored;
  const person: PersonWithKey = { personId: user.id, named, formerKeys, isNamedAccepted };
  const ways = waysOf(stored.copies);
  const [chosen, setChosen] = useState<KeyWay>();
  const way = chosen ?? ways[0] ?? "sheet";
  const copies = stored.copies.filter((copy) => copy.way === way && copy.removedAt === null).reverse();
  return (
    <div className="grid gap-4">
      {seen !== undefined && seen !== "same" && !isNamedAccepted && (
        <KeyChanged isFormer={seen === "former"} onAccept={() => setIsNamedAccepted(true)} />
      )}
      {ways.length > 1 && (
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">{texts.ways}</legend>
          {ways.map((one) => (
            <Button
              aria-pressed={one === way}
              className={one === way ? "border-accent! bg-accent-soft!" : ""}
              key={one}
              onClick={() => setChosen(one)}
              small
            >
              {texts[one]}
            </Button>
          ))}
        </fieldset>
      )}
      <Way copies={copies} key={way} person={person} way={way} {...(onOpen && { onOpen })} />
    </div>
  );
}

interface WayProps {
  readonly person: PersonWithKey;
  /** Those that this way opens, the newest first. */
  readonly copies: readonly KeyCopy[];
  readonly onOpen?: () => void;
}

function Way({ way, ...props }: WayProps & { readonly way: KeyWay }) {
  switch (way) {
    case "passphrase":
      return <ByPassphrase {...props} />;
    case "passkey":
      return <ByPasskey {...props} />;
    case "sheet":
      return <BySheet {...props} />;
    case "device":
      return <ByDevice {...props} />;
    default:
      return way satisfies never;
  }
}

function ByPassphrase({ person, copies, onOpen }: WayProps) {
  const fields = useFields({
    initial: { passphrase: "" },
    passing: "secret",
    // The words are read here and kept nowhere but in the request to the worker.
    send: ({ passphrase: typed }) => {
      const meant = findMeant(typed).map((passphrase) => ({ passphrase }));
      return noteExposure(typed, () => unlockPersonalKey(copies, meant, person));
    },
    onSaved: () => onOpen?.(),
  });
  const { error } = fields;
  const isSixWords = splitWords(fields.sent?.passphrase ?? "").length === passphraseWords;
  const sentence = describeUnlockError(error, isSixWords ? texts.wrongWords : texts.notWords);
  return (
    <FieldsForm
      className="grid max-w-md gap-4"
      fields={fields}
      notice={sentence === undefined && <ErrorNotice error={error} />}
    >
      <PassphraseField
        {...fields.secret("passphrase")}
        autoComplete="off"
        error={sentence}
        hint={texts.passphraseHint}
        label={texts.passphraseLabel}
      />
      <UnlockButton isPending={fields.isPending} />
    </FieldsForm>
  );
}

function ByPasskey({ person, copies, onOpen }: WayProps) {
  const unlocking = useMutation({
    mutationFn: async (copy: KeyCopy) => {
      const { createPasskeyPrompt } = await import("./ask-for-passkey.ts");
      await unlockPersonalKey([copy], [{ passkey: "asked" }], person, createPasskeyPrompt());
    },
    onSuccess: () => onOpen?.(),
  });
  const { error } = unlocking;
  const sentence = describeUnlockError(error, texts.passkeyWrong);
  return (
    <div className="grid gap-4">
      <p className="text-muted">{texts.passkeyIntro}</p>
      {sentence !== undefined ? (
        <Notice role="alert" tone={error instanceof PasskeyRefused ? "info" : "danger"}>
          {sentence}
        </Notice>
      ) : (
        error !== null && <ErrorNotice error={error} />
      )}
      <div className="flex flex-wrap gap-2">
        {copies.map((copy) => (
          <Button
            icon={<LockIcon />}
            key={copy.id}
            look="primary"
            onClick={() => unlocking.mutate(copy)}
            pending={unlocking.isPending && unlocking.variables.id === copy.id}
          >
            <bdi>{copies.length === 1 ? texts.usePasskey : copy.name}</bdi>
          </Button>
        ))}
      </div>
    </div>
  );
}

function ByDevice({ person: { personId, isNamedAccepted }, onOpen }: WayProps) {
  const seen = useQuery({
    queryKey: ["personal-key", "seen-halves", personId],
    queryFn: async () => (await (await loadSeenKeys()).findPublicHalves(personId)) ?? null,
    staleTime: 0,
  });
  if (seen.data === undefined) return <Skeleton className="h-24 w-full" />;
  const expected = isNamedAccepted ? undefined : (seen.data ?? undefined);
  return (
    <Suspense fallback={<Skeleton className="h-24 w-full" />}>
      <ReceiveDevice expected={expected} personId={personId} {...(onOpen && { onOpen })} />
    </Suspense>
  );
}

function BySheet({ person, copies, onOpen }: WayProps) {
  const unlocking = useMutation({
    mutationFn: (identity: string) => unlockPersonalKey(copies, [{ identity }], person),
    onSuccess: () => onOpen?.(),
  });
  const { error } = unlocking;
  const sentence = describeUnlockError(error, texts.sheetForeign);
  return (
    <div className="grid gap-4">
      {error !== null && sentence === undefined && <ErrorNotice error={error} />}
      <SheetInput
        action={texts.unlock}
        isPending={unlocking.isPending}
        onSheet={(identity) => unlocking.mutate(identity)}
        refusal={sentence}
      />
    </div>
  );
}

function UnlockButton({ isPending }: { readonly isPending: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button look="primary" pending={isPending} type="submit">
        {texts.unlock}
      </Button>
      <p className="text-muted text-sm empty:hidden" role="status">
        {isPending ? texts.unlocking : ""}
      </p>
    </div>
  );
}
