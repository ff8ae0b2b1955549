import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { sessionQuery, useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
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
  const fields = useFields({
    initial: { name: user.name },
    follows: true,
    send: ({ name }) => client.account.rename(name),
    onSaved: async () => {
      await queryClient.invalidateQueries(sessionQuery);
      await queryClient.invalidateQueries({ queryKey: ["organizations"] });
      onClose();
    },
  });
  return (
    <FormDialog action={text.common.save} fields={fields} onClose={onClose} title={texts.renameTitle}>
      <TextField
        {...fields.text("name")}
        autoComplete="name"
        data-focus
        hint={texts.nameHint}
        label={texts.name}
        maxLength={100}
        required
      />
    </FormDialog>
  );
}

function Move({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const fields = useFields({
    initial: { email: "" },
    send: ({ email }) => withFreshSession(() => client.account.move(email)),
    onSaved: (own) => {
      queryClient.setQueryData(ownQuery.queryKey, own);
      onClose();
    },
  });
  return (
    <FormDialog action={texts.moveNow} fields={fields} onClose={onClose} title={texts.moveTitle}>
      <p>{texts.moveIntro}</p>
      <TextField
        {...fields.text("email")}
        autoComplete="email"
        data-focus
        label={texts.newAddress}
        required
        type="email"
      />
    </FormDialog>
  );
}
