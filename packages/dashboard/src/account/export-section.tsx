import { useMutation } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";

const { accountLife: texts } = text;

/** Everything that the instance knows about the person, as a file. */
export function ExportSection() {
  const exporting = useMutation({
    mutationFn: () => withFreshSession(() => client.account.export()),
    meta: { changesNothing: true },
    onSuccess: (found) => save(JSON.stringify(found, null, 2)),
  });
  return (
    <Section intro={texts.exportIntro} title={texts.exportTitle}>
      {exporting.isError && (
        <div className="mb-4">
          <ErrorNotice error={exporting.error} />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-4">
        <Button onClick={() => exporting.mutate()} pending={exporting.isPending}>
          {texts.exportButton}
        </Button>
        <p className="text-muted text-sm" role="status">
          {exporting.isPending && texts.exporting}
          {exporting.isSuccess && texts.exported}
        </p>
      </div>
    </Section>
  );
}

function save(content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = texts.exportFile;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
