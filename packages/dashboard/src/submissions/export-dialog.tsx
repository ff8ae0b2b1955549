import { exportFileName } from "@sealpost/sdk";
import type { CsvSeparator } from "@sealpost/sdk/csv";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { download } from "../browser/download.ts";
import { entriesOf, text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { DownloadIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { Select } from "../ui/select.tsx";
import { findSeparator, keepSeparator } from "./csv-separator.ts";
import type { Making } from "./export-making.ts";
import { MissingNotice, type MissingRows } from "./missing-rows.tsx";
import type { Row } from "./row.ts";

const listedMax = 200;

const formats = ["xlsx", "csv", "json"] as const;
const separators = entriesOf(text.submissions.separators);
type ExportFormat = (typeof formats)[number] | "zip";

interface MadeFile {
  readonly file: Blob;
  /** Texts that are not there as a whole. */
  readonly cut?: number;
}

/** Loaded when somebody asks for it. */
const makeFile: Readonly<
  Record<ExportFormat, (rows: readonly Row[], separator: CsvSeparator, making: Making) => Promise<MadeFile>>
> = {
  async xlsx(rows, _separator, making) {
    const { toXlsx } = await import("./export-xlsx.ts");
    return toXlsx(rows, making);
  },
  async csv(rows, separator, making) {
    const { toCsv, toFile } = await import("./export-rows.ts");
    return { file: await toFile(toCsv(rows, separator), making) };
  },
  async json(rows, _separator, making) {
    const { toFile, toJson } = await import("./export-rows.ts");
    return { file: await toFile(toJson(rows), making) };
  },
  async zip(rows, separator, making) {
    const { toZip } = await import("./export-zip.ts");
    return { file: await toZip(rows, separator, making) };
  },
};

/** Makes a file of the rows, here, and tells which of them could not be opened. */
export function ExportDialog({
  rows,
  formName,
  isSelection,
  missing,
  hasZip = false,
  onClose,
}: {
  readonly rows: readonly Row[];
  /** Where the rows are all that are here, and others are not. */
  readonly missing: MissingRows | undefined;
  /** For the name of the file. */
  readonly formName: string;
  readonly isSelection: boolean;
  /** Offers a ZIP with a text for each submission too. */
  readonly hasZip?: boolean;
  readonly onClose: () => void;
}) {
  const texts = text.submissions;
  const missingCount = missing === undefined ? 0 : missing.total - missing.here;
  const [isWithout, setIsWithout] = useState(false);
  const isIncomplete = rows.some(({ opened }) => opened === undefined);
  const [separator, setSeparator] = useState(findSeparator);
  const [written, setWritten] = useState(0);
  const stopping = useRef<AbortController>(undefined);
  // A dialog that was closed saves nothing any more.
  useEffect(() => () => stopping.current?.abort(), []);
  const exporting = useMutation({
    /** Gives what was saved; `undefined` where it was stopped. */
    mutationFn: async (format: ExportFormat) => {
      setWritten(0);
      const controller = new AbortController();
      const { signal } = controller;
      stopping.current = controller;
      const ending = format === "csv" && separator === "tab" ? "tsv" : format;
      const name = exportFileName(formName, Date.now(), ending);
      try {
        const { file, cut = 0 } = await makeFile[format](rows, separator, { signal, onRows: setWritten });
        signal.throwIfAborted();
        download(name, file);
        return { name, cut, missing: missingCount };
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
  });
  const done = Math.min(written, rows.length);
  return (
    <Dialog onClose={onClose} title={texts.exportTitle}>
      <p>{isSelection ? texts.exportSelected(rows.length) : texts.exportIntro(rows.length)}</p>
      {missing && <MissingNotice missing={missing} />}
      {missing && !isWithout && (
        <Button className="justify-self-start" look="quiet" onClick={() => setIsWithout(true)}>
          {texts.missing.export(missingCount)}
        </Button>
      )}
      {isIncomplete && <Notice tone="warning">{texts.exportUnopened}</Notice>}
      <FailedRows rows={rows} />
      <div className="grid gap-3 sm:grid-cols-2" hidden={missing !== undefined && !isWithout}>
        {(hasZip ? [...formats, "zip" as const] : formats).map((format) => (
          <FormatChoice
            format={format}
            isOther={exporting.isPending && exporting.variables !== format}
            isPending={exporting.isPending && exporting.variables === format}
            key={format}
            onChosen={() => exporting.mutate(format)}
          >
            {format === "csv" && (
              <SeparatorField
                onChange={(chosen) => {
                  setSeparator(chosen);
                  keepSeparator(chosen);
                }}
                value={separator}
              />
            )}
          </FormatChoice>
        ))}
      </div>
      <p className="text-muted text-sm">{texts.exportWarning}</p>
      {exporting.isPending && <ExportProgress done={done} of={rows.length} onStop={() => stopping.current?.abort()} />}
      <div role="status">
        {exporting.isSuccess && (
          <p className="text-accent">
            {exporting.data === undefined ? texts.exportStopped : describeFile(exporting.data)}
          </p>
        )}
        {exporting.isSuccess && exporting.data !== undefined && exporting.data.cut > 0 && (
          <Notice tone="warning">{texts.exportCut(exporting.data.cut)}</Notice>
        )}
      </div>
      {exporting.isError && <ErrorNotice error={exporting.error} />}
    </Dialog>
  );
}

function ExportProgress({
  done,
  of,
  onStop,
}: {
  readonly done: number;
  readonly of: number;
  readonly onStop: () => void;
}) {
  const label = text.submissions.exportWriting(done, of);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <span className="tabular-nums">{label}</span>
      <ProgressBar className="min-w-24 grow basis-24" done={done} label={label} of={of} />
      <Button onClick={onStop} small>
        {text.submissions.stop}
      </Button>
    </div>
  );
}

function describeFile({ name, missing }: { readonly name: string; readonly missing: number }): string {
  const texts = text.submissions;
  return missing === 0 ? texts.exportDone(name) : texts.missing.exported(name, missing);
}

/** Which rows could not be opened, and why: they are not in the file. */
function FailedRows({ rows }: { readonly rows: readonly Row[] }) {
  const texts = text.submissions;
  const failed = rows.filter(({ opened }) => opened?.opened === false);
  if (failed.length === 0) return null;
  return (
    <Notice tone="warning">
      {texts.exportFailed(failed.length)}
      <details className="mt-2">
        <summary className="font-medium">{texts.exportReport}</summary>
        <ul className="mt-1 grid gap-1 text-sm">
          {failed.slice(0, listedMax).map(({ id, opened }) => (
            <li key={id}>
              <code className="font-mono" translate="no">
                {id}
              </code>
              {opened?.opened === false && `: ${texts.reasons[opened.reason]}`}
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}

function FormatChoice({
  format,
  isOther,
  isPending,
  onChosen,
  children,
}: {
  readonly format: ExportFormat;
  /** Another one is being made. */
  readonly isOther: boolean;
  readonly isPending: boolean;
  readonly onChosen: () => void;
  /** The choice that this format has. */
  readonly children: ReactNode;
}) {
  const hintId = useId();
  const texts = text.submissions;
  return (
    <div className="grid content-between gap-3 rounded-lg border border-line p-4">
      <p className="text-muted text-sm" id={hintId}>
        {texts.formatHints[format]}
      </p>
      {children}
      <Button
        aria-describedby={hintId}
        disabled={isOther}
        icon={<DownloadIcon />}
        look={format === "xlsx" ? "primary" : "secondary"}
        onClick={onChosen}
        pending={isPending}
      >
        {texts.formats[format]}
      </Button>
    </div>
  );
}

/** Asks for the mark between the cells of CSV. */
function SeparatorField({
  value,
  onChange,
}: {
  readonly value: CsvSeparator;
  readonly onChange: (separator: CsvSeparator) => void;
}) {
  return (
    <Field label={text.submissions.separator}>
      {(control) => <Select {...control} onChange={onChange} options={separators} value={value} />}
    </Field>
  );
}
