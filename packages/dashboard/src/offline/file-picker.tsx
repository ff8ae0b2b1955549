import { useRef, useState } from "react";
import { prepareWorkers } from "../submissions/opener.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
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
  /** `undefined`: the last of them was taken away again. */
  readonly onRead: (sealed: SealedFiles | undefined) => void;
}) {
  const [isReading, setIsReading] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const latest = useRef(0);
  const texts = offline;

  /** Without a file that was chosen by mistake. */
  function remove(file: File): void {
    const left = sealed?.files.filter((one) => one !== file) ?? [];
    if (left.length > 0) return void take(left);
    latest.current += 1;
    onRead(undefined);
  }

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
      {sealed && <Chosen files={sealed.files} onRemove={remove} />}
      <DropZone label={texts.choose} look={sealed ? "secondary" : "primary"} onFiles={take} pending={isReading} />
      <p className="sr-only" role="status">
        {isReading ? texts.reading : ""}
      </p>
    </div>
  );
}

/** The files that were chosen, each with the button that takes it away again: a phone has no other way. */
function Chosen({ files, onRemove }: { readonly files: readonly File[]; readonly onRemove: (file: File) => void }) {
  return (
    <ul aria-label={offline.chosen} className="divide-y divide-line rounded-lg border border-line px-3">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <li className="flex items-center justify-between gap-3 py-1.5" key={`${index} ${file.name}`}>
          <bdi className="min-w-0 wrap-anywhere">{file.name}</bdi>
          <Button aria-label={offline.removeOf(file.name)} onClick={() => onRemove(file)} small>
            {offline.remove}
          </Button>
        </li>
      ))}
    </ul>
  );
}
