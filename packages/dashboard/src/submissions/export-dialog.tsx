import { exportFileName } from "@sealpost/sdk";
import { useMutation } from "@tanstack/react-query";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { download } from "../ui/download.ts";
import { DownloadIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import type { Row } from "./row.ts";

const listedMax = 200;

type ExportFormat = "csv" | "json" | "zip";

/** Loaded when somebody asks for it. */
const makeFile: Readonly<Record<ExportFormat, (rows: readonly Row[]) => Promise<Blob>>> = {
  async csv(rows) {
    const { toCsv, toFile } = await import("./export-rows.ts");
    return toFile(toCsv(rows));
  },
  async json(rows) {
    const { toFile, toJson } = await import("./export-rows.ts");
    return toFile(toJson(rows));
  },
  async zip(rows) {
    const { toZip } = await import("./export-zip.ts");
    return toZip(rows);
  },
};

/** Makes a file of the rows, here, and tells which of them could not be opened. */
export function ExportDialog({
  rows,
  formName,
  isSelection,
  hasZip = false,
  onClose,
}: {
  readonly rows: readonly Row[];
  /** For the name of the file. */
  readonly formName: string;
  readonly isSelection: boolean;
  /** Offers a ZIP with a text for each submission too. */
  readonly hasZip?: boolean;
  readonly onClose: () => void;
}) {
  const texts = text.submissions;
  const failed = rows.filter(({ opened }) => opened?.opened === false);
  const isIncomplete = rows.some(({ opened }) => opened === undefined);
  const exporting = useMutation({
    mutationFn: async (format: ExportFormat) => {
      const name = exportFileName(formName, Date.now(), format);
      download(name, await makeFile[format](rows));
      return name;
    },
  });
  return (
    <Dialog onClose={onClose} title={texts.exportTitle}>
      <p>{isSelection ? texts.exportSelected(rows.length) : texts.exportIntro(rows.length)}</p>
      {isIncomplete && <Notice tone="warning">{texts.exportUnopened}</Notice>}
      {failed.length > 0 && (
        <Notice tone="warning">
          {texts.exportFailed(failed.length)}
          <details className="mt-2">
            <summary className="font-medium">{texts.exportReport}</summary>
            <ul className="mt-1 grid max-h-40 gap-1 overflow-y-auto text-sm">
              {failed.slice(0, listedMax).map(({ id, opened }) => (
                <li key={id}>
                  <code className="font-mono">{id}</code>
                  {opened?.opened === false && `: ${texts.reasons[opened.reason]}`}
                </li>
              ))}
            </ul>
          </details>
        </Notice>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        {(hasZip ? (["csv", "json", "zip"] as const) : (["csv", "json"] as const)).map((format) => (
          <div className="grid content-between gap-3 rounded-lg border border-line p-4" key={format}>
            <p className="text-muted text-sm">{texts.formatHints[format]}</p>
            <Button
              icon={<DownloadIcon />}
              look={format === "csv" ? "primary" : "secondary"}
              onClick={() => exporting.mutate(format)}
              pending={exporting.isPending && exporting.variables === format}
            >
              {texts.formats[format]}
            </Button>
          </div>
        ))}
      </div>
      <p className="text-muted text-sm">{texts.exportWarning}</p>
      <div role="status">
        {exporting.isSuccess && <p className="text-accent">{texts.exportDone(exporting.data)}</p>}
      </div>
      {exporting.isError && <ErrorNotice error={exporting.error} />}
    </Dialog>
  );
}
