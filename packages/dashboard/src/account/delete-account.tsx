import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { forgetAllKeys } from "../keys/keyring.ts";
import { endPage } from "../session/end-page.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Loading, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { useSessionCheck } from "./use-session-check.ts";

const { accountLife: texts } = text;

/** The end of the account, which first says what goes with it. */
export function DeleteAccountSection() {
  const { user } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  if (user.leavesAt) return null;
  return (
    <Section
      intro={
        <>
          {texts.deleteIntro} <HelpLink page="deleteAccount">{texts.guide}</HelpLink>
        </>
      }
      title={texts.deleteTitle}
      tone="danger"
    >
      <Button look="danger" onClick={() => setIsAsking(true)}>
        {texts.deleteButton}
      </Button>
      {isAsking && <DeleteAccount onClose={() => setIsAsking(false)} />}
    </Section>
  );
}

function DeleteAccount({ onClose }: { readonly onClose: () => void }) {
  const { user } = useSession();
  const checkSession = useSessionCheck("leaving", async () => void (await forgetAllKeys()));
  const fields = useFields({
    initial: { confirmation: "" },
    passing: "confirmation",
    check: ({ confirmation }) =>
      confirmation.trim().toLowerCase() === user.email.toLowerCase()
        ? undefined
        : { confirmation: texts.confirmDiffers },
    send: () => checkSession(() => withFreshSession(() => client.account.delete())),
    onSaved: async () => {
      await forgetAllKeys();
      await endPage("leaving");
    },
  });
  return (
    <FormDialog action={texts.deleteNow} fields={fields} look="danger" onClose={onClose} title={texts.deleteTitle}>
      <div className="in-order grid gap-4">
        <Fates />
        <ul className="grid list-disc gap-1.5 pl-5">
          {texts.deleteEffects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
        <TextField
          {...fields.text("confirmation")}
          autoCapitalize="off"
          autoComplete="off"
          data-focus
          label={<span className="wrap-anywhere">{texts.confirmLabel(user.email)}</span>}
        />
      </div>
    </FormDialog>
  );
}

/** Says what happens to each of the person's organizations. */
function Fates() {
  const look = useQuery({ queryKey: ["account-deletion"], queryFn: () => client.account.deletion(), staleTime: 0 });
  const organizations = look.data?.organizations ?? [];
  return (
    <>
      {look.isError && <ErrorNotice error={look.error} onRetry={() => look.refetch()} />}
      {look.isPending && <Loading>{texts.loading}</Loading>}
      {organizations.map(({ id, name, fate, forms, submissions, heldForms }) => (
        <Notice key={id} tone={fate === "left" ? "info" : "warning"}>
          <bdi>{texts.fates[fate](name || texts.unnamed, forms, submissions)}</bdi>
          {heldForms.length > 0 && (
            <>
              {" "}
              <bdi>{texts.held(heldForms.map((form) => form.name))}</bdi>
            </>
          )}
        </Notice>
      ))}
    </>
  );
}
