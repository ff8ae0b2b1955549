import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";
import type { SealedFiles } from "./sealed-files.ts";

const { offline } = text;

/** The number of submissions in the files; with `onlyWarnings` nothing, unless something in the files is wrong. */
export function FileFindings({
  sealed: { counts, unreadableCount, conflictCount },
  onlyWarnings = false,
}: {
  readonly sealed: SealedFiles;
  readonly onlyWarnings?: boolean;
}) {
  const texts = offline;
  const isFlawed = unreadableCount + conflictCount > 0;
  if (onlyWarnings && !isFlawed) return null;
  let total = 0;
  for (const count of counts.values()) total += count;
  return (
    <Notice role="status" title={texts.found(total, counts.size)} tone={isFlawed ? "warning" : "good"}>
      {unreadableCount > 0 && <p>{texts.unreadableLines(unreadableCount)}</p>}
      {conflictCount > 0 && <p>{texts.conflicts(conflictCount)}</p>}
    </Notice>
  );
}
