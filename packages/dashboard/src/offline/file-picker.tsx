import { useRef, useState } from "react";
import { prepareWorkers } from "../submissions/opener.ts";
import { text } from "../texts/text.ts";
import { DropZone } from "../ui/drop-zone.tsx";
import { Notice } from "../ui/notice.tsx";
import { FileFindings } from "./file-findings.tsx";
import { lookInto, type SealedFiles } from "./sealed-files.ts";

const { offline } = text;

/** Takes files of sealed submissions, and says what is in them. */
export function FilePicker({
  sealed,
  onRead,
}: {
  readonly sealed: SealedFiles | undefined;
  readonly onRead: (sealed: SealedFiles) => void;
}) {
  const [isReading, setIsReading] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const latest = useRef(0);
  const texts = offline;

  async function take(files: readonly File[]): Promise<void> {
    const turn = ++latest.current;
    setIsReading(true);
    setRefusal(undefined);
    try {
      const read = await lookInto(files);
      if (turn !== latest.current) return;
      if (read.counts.size === 0) return setRefusal(texts.noSubmissions);
      prepareWorkers();
      onRead(read);
    } catch {
      if (turn === latest.current) setRefusal(texts.unreadableFile);
    } finally {
      if (turn === latest.current) setIsReading(false);
    }
  }

  return (
    <div className="grid gap-4">
      {refusal && (
        <Notice role="alert" tone="danger">
          {refusal}
        </Notice>
      )}
      {sealed && <FileFindings sealed={sealed} />}
      <DropZone label={texts.choose} look={sealed ? "secondary" : "primary"} onFiles={take} pending={isReading} />
      <p className="sr-only" role="status">
        {isReading ? texts.reading : ""}
      </p>
    </div>
  );
}
