import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { sessionQuery, useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
import { useFocusInstead } from "../ui/use-focus-instead.ts";

const { accountLife: texts } = text;

const ownQuery = { queryKey: ["own-account"], queryFn: () => client.account.get() } as const;

/** Another name, another address; and the move that waits, where there is one. */
export function IdentityActions() {
  const { data } = useQuery(ownQuery);
  const [asking, setAsking] = useState<"name" | "address">();
  const queryClient = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => client.account.cancelMove(),
    onSuccess: (own) => queryClient.setQueryData(ownQuery.queryKey, own),
  });
  const close = () => setAsking(undefined);
  const isEnded = cancelling.isSuccess && data?.move === null;
  const status = useFocusInstead<HTMLParagraphElement>(isEnded);
  return (
    <div className="mt-4 grid gap-3">
      {data?.move && (
        <Notice
          action={
            <Button onClick={() => cancelling.mutate()} pending={cancelling.isPending} small>
              {texts.moveCancel}
            </Button>
          }
          role="status"
        >
          <span className="wrap-anywhere">{texts.moveWaits(data.move.email, data.move.expiresAt)}</span>
        </Notice>
      )}
      {cancelling.isError && <ErrorNotice error={cancelling.error} />}
      <p className="text-muted text-sm outline-none empty:hidden" ref={status} role="status" tabIndex={-1}>
        {isEnded && texts.moveEnded}
      </p>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => setAsking("name")}>{texts.rename}</Button>
        <Button onClick={() => setAsking("address")}>{texts.move}</Button>
      </div>
      {asking === "name" && <Rename onClose={close} />}
      {asking === "address" && <Move onClose={close} />}
    </div>
  );
}

function Rename({ onClose }: { readonly onClose: () => void }) {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const renaming = useMutation({
    mutationFn: (name: string) => client.account.rename(name),
    onSuccess: async () => {
      await queryClient.invalidateQueries(sessionQuery);
      await queryClient.invalidateQueries({ queryKey: ["organizations"] });
      onClose();
    },
  });
  const errors = useFieldErrors(renaming.error, ["name"]);
  return (
    <ActionDialog
      action={text.common.save}
      form={errors.form}
      isPending={renaming.isPending}
      onClose={onClose}
      onConfirm={(data) => renaming.mutate(String(data.get("name")))}
      title={texts.renameTitle}
    >
      {errors.isElsewhere && <ErrorNotice error={renaming.error} />}
      <TextField
        autoComplete="name"
        data-focus
        defaultValue={user.name}
        error={errors.at("name")}
        hint={texts.nameHint}
        label={texts.name}
        maxLength={100}
        name="name"
        required
      />
    </ActionDialog>
  );
}

function Move({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const moving = useMutation({
    mutationFn: (email: string) => withFreshSession(() => client.account.move(email)),
    onSuccess: (own) => {
      queryClient.setQueryData(ownQuery.queryKey, own);
      onClose();
    },
  });
  const errors = useFieldErrors(moving.error, ["email"]);
  return (
    <ActionDialog
      action={texts.moveNow}
      form={errors.form}
      isPending={moving.isPending}
      onClose={onClose}
      onConfirm={(data) => moving.mutate(String(data.get("email")))}
      title={texts.moveTitle}
    >
      {errors.isElsewhere && <ErrorNotice error={moving.error} />}
      <p>{texts.moveIntro}</p>
      <TextField
        autoComplete="email"
        data-focus
        error={errors.at("email")}
        label={texts.newAddress}
        name="email"
        required
        type="email"
      />
    </ActionDialog>
  );
}
