import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { FieldRefused } from "../api/describe-error.ts";
import { serviceNow } from "../api/service-clock.ts";
import { parseDay, toDay } from "../browser/day.ts";
import { download } from "../browser/download.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { RemovalDialog } from "../form-kit/removal-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { Section } from "../ui/page.tsx";
import { type CheckedLog, readCheckedLog } from "./read-log.ts";

const { auditLog } = text;
const { shorten: texts } = auditLog;

/** The service keeps what is younger. */
const keptMilliseconds = 30 * 86_400_000;

/** An owner's way to make room in the log: its oldest entries are downloaded, and then removed. */
export function ShortenLog() {
  const mayShorten = useMay()("shortenAuditLog");
  const [asking, setAsking] = useState<"day" | CheckedLog>();
  if (!mayShorten) return null;
  const close = () => setAsking(undefined);
  return (
    <Section
      intro={
        <>
          {texts.intro} <HelpLink page="shortenLog">{texts.guide}</HelpLink>
        </>
      }
      title={texts.title}
    >
      <Button onClick={() => setAsking("day")}>{texts.button}</Button>
      {asking === "day" && <ArchiveLog onArchived={setAsking} onClose={close} />}
      {typeof asking === "object" && <RemoveEntries log={asking} onClose={close} />}
    </Section>
  );
}

/** Downloads all of the log, once it is checked. */
function ArchiveLog({
  onArchived,
  onClose,
}: {
  readonly onArchived: (log: CheckedLog) => void;
  readonly onClose: () => void;
}) {
  const latest = toDay(serviceNow() - keptMilliseconds);
  const fields = useFields({
    initial: { before: latest },
    changesNothing: true,
    passing: "choice",
    async send({ before }) {
      const log = await readCheckedLog(parseDay(before) ?? 0);
      if (log.until === undefined) throw new FieldRefused("before", texts.none);
      return log;
    },
    onSaved(log) {
      download(auditLog.exportFile(toDay(serviceNow())), new Blob([...log.lines]));
      onArchived(log);
    },
  });
  return (
    <FormDialog action={texts.archive} fields={fields} onClose={onClose} title={texts.archiveTitle}>
      <p>{texts.archiveIntro}</p>
      <TextField
        {...fields.text("before")}
        className="max-w-60"
        data-focus
        hint={texts.beforeHint}
        label={texts.before}
        max={latest}
        required
        type="date"
      />
      <p className="text-muted text-sm" role="status">
        {fields.isPending && auditLog.exporting}
      </p>
    </FormDialog>
  );
}

function RemoveEntries({ log: { until, count }, onClose }: { readonly log: CheckedLog; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: async () => until && withFreshSession(() => client.auditLog.shorten(until)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["audit-log"] });
      await queryClient.invalidateQueries({ queryKey: ["usage"] });
      onClose();
    },
  });
  return (
    <RemovalDialog action={texts.remove(count)} onClose={onClose} removing={removing} title={texts.removeTitle(count)}>
      <ul className="grid list-disc gap-1.5 pl-5">
        {texts.effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </RemovalDialog>
  );
}
