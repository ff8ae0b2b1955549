import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { orGone } from "../api/attempt.ts";
import { isKept } from "../api/is-kept.ts";
import { findPasskeySupport, type Passkey, passkeyApi, passkeysQuery } from "../api/passkey-api.ts";
import { queries } from "../api/queries.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { RemovalDialog } from "../form-kit/removal-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { organizationsQuery } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { PasskeyError } from "../session/passkey-confirm.tsx";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";

const { passkeys: texts } = text;

type Open =
  | { readonly what: "name"; readonly passkey: Passkey; readonly isNew: boolean }
  | { readonly what: "remove"; readonly passkey: Passkey }
  | { readonly what: "verify" };

/** One's own passkeys: added, named, removed. */
export default function Passkeys() {
  const list = useQuery(passkeysQuery);
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<Open>();
  const [said, setSaid] = useState("");
  const needsVerification = useNeedsVerification();
  const close = () => setOpen(undefined);
  const adding = useMutation({
    mutationFn: () => withFreshSession(passkeyApi.add),
    onSuccess: async (passkey) => {
      await changed(texts.added);
      setOpen({ what: "name", passkey, isNew: true });
    },
  });

  /** A passkey is a second factor: what the organization lets this session do may change with it. */
  async function changed(what: string): Promise<void> {
    await queryClient.invalidateQueries(passkeysQuery);
    await queryClient.invalidateQueries(queries.sessions());
    await queryClient.invalidateQueries(organizationsQuery);
    setSaid(what);
  }

  // The button that removed the last one is gone.
  const section = useFocusInstead<HTMLDivElement>(open === undefined && said);
  const support = list.data?.isAvailable === false ? "insecure" : findPasskeySupport();
  const isAwaited = list.isPending || (list.data?.passkeys.length === 0 && isKept(list));
  return (
    <Section
      id="passkeys"
      intro={
        <>
          {texts.intro} <HelpLink page="passkeys">{texts.more}</HelpLink>
        </>
      }
      title={texts.title}
    >
      <div className="grid gap-4 outline-none" ref={section} tabIndex={-1}>
        {isAwaited && <Skeleton className="h-10 w-full" />}
        {list.isError && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
        {!isAwaited && list.data?.passkeys.length === 0 && support === "available" && <p>{texts.none}</p>}
        <ul aria-label={texts.list} className="divide-y divide-line empty:hidden">
          {list.data?.passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              onRemove={() => setOpen({ what: "remove", passkey })}
              onRename={() => setOpen({ what: "name", passkey, isNew: false })}
              passkey={passkey}
            />
          ))}
        </ul>
        {adding.isError && <PasskeyError error={adding.error} />}
        {support === "available" ? (
          <div>
            <Button
              onClick={() => (needsVerification ? setOpen({ what: "verify" }) : adding.mutate())}
              pending={adding.isPending}
            >
              {texts.add}
            </Button>
          </div>
        ) : (
          <p className="text-muted">{texts[support]}</p>
        )}
      </div>
      <p className="sr-only" role="status">
        {said}
      </p>
      {open?.what === "verify" && <VerifyFirstDialog onClose={close} title={texts.add} />}
      {open?.what === "name" && (
        <Name isNew={open.isNew} onClose={close} onNamed={() => changed(texts.renamed)} passkey={open.passkey} />
      )}
      {open?.what === "remove" && (
        <Remove onClose={close} onRemoved={() => changed(texts.removed)} passkey={open.passkey} />
      )}
    </Section>
  );
}

function PasskeyRow({
  passkey: { name, addedAt, usedAt },
  onRename,
  onRemove,
}: {
  readonly passkey: Passkey;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-2.5">
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <bdi>{name}</bdi>
        </p>
        <p className="text-muted text-sm">
          {texts.addedOn}
          <Time at={addedAt} />
          {", "}
          {usedAt === null ? texts.neverUsed : texts.usedOn}
          {usedAt !== null && <Time at={usedAt} />}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={texts.renameOf(name)} onClick={onRename} small>
          {texts.rename}
        </Button>
        <Button aria-label={texts.removeOf(name)} onClick={onRemove} small>
          {texts.remove}
        </Button>
      </div>
    </li>
  );
}

interface ChangeProps {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}

function Name({
  passkey,
  isNew,
  onClose,
  onNamed,
}: ChangeProps & { readonly isNew: boolean; readonly onNamed: () => Promise<void> }) {
  const queryClient = useQueryClient();
  const fields = useFields({
    initial: { name: passkey.name },
    send: ({ name }) => passkeyApi.rename(passkey.id, name),
    // It may be removed elsewhere.
    onRefused: () => queryClient.invalidateQueries(passkeysQuery),
    onSaved: async () => {
      await onNamed();
      onClose();
    },
  });
  return (
    <FormDialog
      action={text.common.save}
      cancel={isNew ? texts.keepName : text.common.cancel}
      fields={fields}
      onClose={onClose}
      title={isNew ? texts.nameTitle : texts.renameOf(passkey.name)}
    >
      {isNew && <p>{texts.nameIntro}</p>}
      <TextField
        {...fields.text("name")}
        autoComplete="off"
        data-focus
        hint={texts.nameHint}
        label={texts.name}
        maxLength={60}
        required
      />
    </FormDialog>
  );
}

function Remove({ passkey, onClose, onRemoved }: ChangeProps & { readonly onRemoved: () => Promise<void> }) {
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: () => orGone(() => withFreshSession(() => passkeyApi.remove(passkey.id)), "passkey_not_found"),
    onError: () => queryClient.invalidateQueries(passkeysQuery),
    onSuccess: async () => {
      await onRemoved();
      onClose();
    },
  });
  return (
    <RemovalDialog action={texts.remove} onClose={onClose} removing={removing} title={texts.removeOf(passkey.name)}>
      <p>{texts.removeIntro}</p>
    </RemovalDialog>
  );
}
