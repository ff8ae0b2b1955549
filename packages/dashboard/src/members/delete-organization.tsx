import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { client } from "../api/client.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { organizationsQuery } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { focusContent } from "../ui/focus-content.ts";
import { ErrorNotice } from "../ui/notice.tsx";

const { accountLife: texts } = text;

/** The end of the organization, after a question; nothing where that was asked for already. */
export function DeleteOrganization({ name }: { readonly name: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const { data } = useQuery(organizationsQuery);
  const queryClient = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => withFreshSession(() => client.organizations.delete()),
    onSuccess: async () => {
      await queryClient.invalidateQueries(organizationsQuery);
      setIsAsking(false);
    },
  });
  // The answer stands at the head of the page, above everything else.
  useEffect(() => {
    if (deleting.isSuccess) focusContent();
  }, [deleting.isSuccess]);
  if (data?.organizations.find(({ current }) => current)?.deletedAt !== undefined) return null;
  return (
    <>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        {texts.deleteOrganization}
      </Button>
      {isAsking && (
        <ActionDialog
          action={texts.deleteOrganizationNow}
          isPending={deleting.isPending}
          look="danger"
          onClose={() => setIsAsking(false)}
          onConfirm={() => deleting.mutate()}
          title={texts.deleteOrganizationTitle(name)}
        >
          {deleting.isError && <ErrorNotice error={deleting.error} />}
          <ul className="grid list-disc gap-1.5 pl-5">
            {texts.organizationEffects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        </ActionDialog>
      )}
    </>
  );
}
