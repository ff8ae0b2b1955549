import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { organizationsQuery, useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { focusContent } from "../ui/focus-content.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";

const { accountLife: texts } = text;

/** Above every page while the organization is to be deleted; owners find the way back. */
export default function EndingBanner({ at }: { readonly at: number }) {
  const queryClient = useQueryClient();
  const mayKeep = useMay()("deleteOrganization");
  const keeping = useMutation({
    mutationFn: () => client.organizations.keep(),
    onSuccess: async () => {
      await queryClient.invalidateQueries(organizationsQuery);
      focusContent();
    },
  });
  return (
    <section aria-label={texts.ending} className="mx-auto w-full max-w-6xl px-4 pt-4 pb-3 sm:px-6 sm:pb-0">
      <Notice
        action={
          mayKeep && (
            <Button onClick={() => keeping.mutate()} pending={keeping.isPending} small>
              {texts.keepOrganization}
            </Button>
          )
        }
        title={texts.ending}
        tone="danger"
      >
        {texts.endingHint(at)}
      </Notice>
      {keeping.isError && <ErrorNotice error={keeping.error} />}
    </section>
  );
}
