import { cleanFileName, openFile, parseFileField } from "@sealpost/sdk";
import { type Fields, type FieldValue, isId } from "@sealpost/wire";
import { useMutation } from "@tanstack/react-query";
import { download } from "../browser/download.ts";
import { formatBytes } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { DropZone } from "../ui/drop-zone.tsx";
import { Notice } from "../ui/notice.tsx";

const { offline } = text;

type Attached = NonNullable<ReturnType<typeof parseFileField>>;

/** The files that belong to a submission. Their sealed bytes are not in it: each is chosen, opened and saved. */
export function AttachedFiles({ formId, fields }: { readonly formId: string; readonly fields: Fields }) {
  return findFiles(formId, fields).map((attached) => <AttachedFile attached={attached} key={attached.file.id} />);
}

/** In one field there may be several. */
function findFiles(formId: string, fields: Fields): readonly Attached[] {
  if (!isId("form", formId)) return [];
  const values: readonly FieldValue[] = Object.values(fields);
  const found = values.flat().map((value) => parseFileField(value, formId));
  return found.filter((attached) => attached !== undefined);
}

function AttachedFile({ attached: { file, fileKey } }: { readonly attached: Attached }) {
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
