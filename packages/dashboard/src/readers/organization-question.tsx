import type { KnownOrganization } from "@sealpost/sdk/envelopes";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { useOrganizationQuestion } from "../envelopes/ask-organization.ts";
import { loadHeads } from "../envelopes/heads.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { organizationsQuery } from "../organization/membership.ts";
import { useChooseOrganization } from "../personal-key/choose-organization.ts";
import { findOpenHalves } from "../personal-key/personal-key.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { ShownOrganization } from "./shown-organization.tsx";

const { ownOrganization: texts } = text.envelopes;

type Question = NonNullable<ReturnType<typeof useOrganizationQuestion>>;

/** Asked before this browser seals something for an organization for the first time; where another one is meant here, why nothing was sealed. */
export function OrganizationQuestion(question: Question) {
  const { standing, answer } = question;
  if (standing.kind === "other") return <OtherOrganization {...question} meant={standing.meant} />;
  return (
    <ActionDialog
      action={texts.confirm}
      isPending={false}
      onClose={() => answer(false)}
      onConfirm={() => answer(true)}
      title={texts.title}
    >
      <p>{texts.intro}</p>
      <ShownOrganization {...question} standing={standing} />
    </ActionDialog>
  );
}

function OtherOrganization({
  organizationId,
  served,
  list,
  meant,
  answer,
}: Question & { readonly meant: KnownOrganization }) {
  const { user } = useSession();
  const { data } = useQuery(organizationsQuery);
  const switchTo = useChooseOrganization();
  const stop = () => answer(false);
  const returning = useMutation({ mutationFn: () => switchTo(meant.id), onSuccess: stop });
  // This act has ended: the next press is asked about this organization, with its readers.
  const choosing = useMutation({
    mutationFn: async () =>
      (await loadHeads(user.id, findOpenHalves())).organizationsOf(user.id).choose(organizationId, served),
    onSuccess: stop,
  });
  const name = list?.list.organizationName ?? served;
  const canReturn = data?.organizations.some(({ id }) => id === meant.id);
  return (
    <Dialog
      footer={
        <>
          <Button onClick={() => choosing.mutate()} pending={choosing.isPending}>
            {texts.other.choose}
          </Button>
          {canReturn && (
            <Button onClick={() => returning.mutate()} pending={returning.isPending}>
              {texts.other.back}
            </Button>
          )}
          <Button look="primary" onClick={stop}>
            {text.common.close}
          </Button>
        </>
      }
      onClose={stop}
      title={texts.other.title}
    >
      <Notice role="alert" tone="danger">
        <bdi className="wrap-anywhere">{texts.other.meant(meant.names, meant.id)}</bdi>{" "}
        <bdi className="wrap-anywhere">{texts.other.shown(name, organizationId)}</bdi>
      </Notice>
      <p>{texts.other.hint}</p>
      {(returning.error ?? choosing.error) && <ErrorNotice error={returning.error ?? choosing.error} />}
    </Dialog>
  );
}
