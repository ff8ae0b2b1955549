import { cleanFileName, type Opened, openFile, parseFileField } from "@sealpost/sdk";
import { type ExactValue, exactFieldsOf, isId } from "@sealpost/wire";
import { useMutation } from "@tanstack/react-query";
import { download } from "../browser/download.ts";
import { formatBytes } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { DropZone } from "../ui/drop-zone.tsx";
import { Notice } from "../ui/notice.tsx";

const { offline } = text;

type Attached = NonNullable<ReturnType<typeof parseFileField>>;
type Known = Extract<Attached, { readonly isNewer: false }>;

interface Submission {
  readonly formId: string;
  readonly submissionId: string;
  readonly opened: Extract<Opened, { readonly opened: true }>;
}

/** The files that belong to a submission. Their sealed bytes are not in it: each is chosen, opened and saved. */
export function AttachedFiles(submission: Submission) {
  return findFiles(submission).map((attached, index) =>
    attached.isNewer ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a submission never changes, and such a file has nothing else of its own
      <Notice key={index} title={offline.attachedNewer(cleanFileName(attached.name))} />
    ) : (
      <AttachedFile attached={attached} key={attached.file.id} />
    ),
  );
}

/** In one field there may be several. */
function findFiles({ formId, submissionId, opened }: Submission): readonly Attached[] {
  if (!isId("form", formId) || !isId("submission", submissionId)) return [];
  const values: readonly ExactValue[] = Object.values(exactFieldsOf(opened));
  const found = values.flat().map((value) => parseFileField(value, { formId, submissionId }));
  return found.filter((attached) => attached !== undefined);
}

function AttachedFile({ attached: { file, fileKey } }: { readonly attached: Known }) {
  const name = cleanFileName(file.name);
  const opening = useMutation({
    mutationFn: async ([sealed]: readonly File[]) => {
      if (sealed === undefined) return;
      // The browser keeps what is opened, on the disk if it is large. Nothing is saved before the file has proved to be whole.
      download(name, await new Response(sealed.stream().pipeThrough(openFile(fileKey))).blob());
    },
  });
  return (
    <div className="grid gap-2">
      <p>
        <bdi className="font-semibold">{name}</bdi> <span className="text-muted">{formatBytes(file.size)}</span>
      </p>
      <DropZone
        label={offline.openAttached(name)}
        look="secondary"
        onFiles={opening.mutate}
        pending={opening.isPending}
      />
      {opening.isError && (
        <Notice role="alert" title={offline.attachedNotOpened} tone="danger">
          {offline.attachedNotOpenedHint}
        </Notice>
      )}
      {opening.isSuccess && <Notice role="status" title={offline.attachedSaved(name)} tone="good" />}
    </div>
  );
}
