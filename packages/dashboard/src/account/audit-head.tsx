import { useMutation } from "@tanstack/react-query";
import type { client } from "../api/client.ts";
import { download } from "../browser/download.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { readLog } from "./read-log.ts";

const { auditLog: texts } = text;

type Head = Awaited<ReturnType<typeof client.auditLog.list>>["head"];

/** The number and hash of the last entry, to keep elsewhere, and the log as a file. */
export function AuditHead({ head: { sequence, hash } }: { readonly head: Head }) {
  const exporting = useMutation({
    mutationFn: readLog,
    meta: { changesNothing: true },
    onSuccess: (lines) => download(texts.exportFile(new Date().toISOString().slice(0, 10)), new Blob([...lines])),
    // It may be large.
    gcTime: 0,
  });
  return (
    <Section
      intro={
        <>
          {texts.headIntro} <HelpLink page="auditLog">{texts.headGuide}</HelpLink>
        </>
      }
      title={texts.headTitle}
    >
      <div className="grid gap-4">
        <CodeBlock code={`${sequence}:${hash}`} label={texts.head} wrap />
        {exporting.isError && <ErrorNotice error={exporting.error} />}
        <div className="flex flex-wrap items-center gap-4">
          <Button onClick={() => exporting.mutate()} pending={exporting.isPending}>
            {texts.export}
          </Button>
          <p className="text-muted text-sm" role="status">
            {exporting.isPending && texts.exporting}
            {exporting.isSuccess && texts.exported(exporting.data.length - 1)}
          </p>
        </div>
      </div>
    </Section>
  );
}
