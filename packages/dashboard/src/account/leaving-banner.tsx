import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { sessionQuery } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { focusContent } from "../ui/focus-content.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";

const { accountLife: texts } = text;

/** Above every page while the account is to be deleted: the way back. */
export default function LeavingBanner({ at }: { readonly at: number }) {
  const queryClient = useQueryClient();
  const keeping = useMutation({
    mutationFn: () => client.account.keep(),
    onSuccess: async () => {
      await queryClient.invalidateQueries(sessionQuery);
      await queryClient.invalidateQueries({ queryKey: ["organizations"] });
      focusContent();
    },
  });
  return (
    <section aria-label={texts.leaving} className="mx-auto w-full max-w-6xl px-4 pt-4 pb-3 sm:px-6 sm:pb-0">
      <Notice
        action={
          <Button look="primary" onClick={() => keeping.mutate()} pending={keeping.isPending} small>
            {texts.keep}
          </Button>
        }
        title={texts.leaving}
        tone="danger"
      >
        {texts.leavingHint(at)}
      </Notice>
      {keeping.isError && <ErrorNotice error={keeping.error} />}
    </section>
  );
}
