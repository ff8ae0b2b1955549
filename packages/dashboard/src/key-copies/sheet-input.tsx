import type { RecoveryShare, SheetKind } from "@sealpost/envelope";
import {
  checkLine,
  type LineReading,
  lineCountOf,
  readSheetCode,
  readSheetLines,
  type SheetReading,
  splitSheet,
} from "@sealpost/vault";
import { useState } from "react";
import { PhotoButton } from "../scanner/photo-button.tsx";
import { ScanButton } from "../scanner/scan-button.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";

const { personalKey } = text;

const texts = personalKey.sheetInput;
const ofPerson: Readonly<Record<SheetKind, string>> = {
  personal: texts.foreign,
  organization: texts.organization,
  share: texts.share,
};

/** Takes a recovery sheet by camera, or typed: each line is checked when the next one is begun. `onSheet` may refuse it with a sentence. */
export function SheetInput({
  kind = "personal",
  describeOther = ofPerson,
  action,
  isPending,
  refusal,
  onSheet,
  onShare,
}: {
  /** Which lines are typed. A code may be that of a share as well, where `onShare` takes them. */
  readonly kind?: SheetKind;
  /** For sheets of another kind. */
  readonly describeOther?: Readonly<Record<SheetKind, string>>;
  readonly action: string;
  readonly isPending: boolean;
  /** Why the sheet that was given is not the one that is wanted. */
  readonly refusal: string | undefined;
  readonly onSheet: (identity: string) => void;
  readonly onShare?: (share: RecoveryShare) => void;
}) {
  const places = Array.from({ length: lineCountOf(kind) }, (_, index) => index);
  const [lines, setLines] = useState<readonly string[]>(places.map(() => ""));
  const [errors, setErrors] = useState<readonly (string | undefined)[]>([]);
  const [notice, setNotice] = useState<string>();
  /** Something else is typed by now than what was refused. */
  const [isChanged, setIsChanged] = useState(false);
  const sentence = notice ?? (isChanged ? undefined : refusal);

  function take(reading: SheetReading): void {
    setIsChanged(false);
    setNotice("refused" in reading ? describe(reading.refused) : undefined);
    if ("wrongLines" in reading) {
      setErrors(places.map((index) => (reading.wrongLines.includes(index) ? texts.wrongLine(index + 1) : undefined)));
      for (const index of reading.wrongLines) if (lines[index]?.trim()) void check(index, lines[index]);
    }
    if ("identity" in reading) onSheet(reading.identity);
    if ("share" in reading) onShare?.(reading.share);
  }

  async function takeCode(code: string): Promise<void> {
    take(await readSheetCode(onShare === undefined ? [kind] : ["organization", "share"], code));
  }

  function describe(refused: SheetKind | "formSheet" | "noSheet"): string {
    if (refused === "noSheet") return texts.scanned;
    return refused === "formSheet" ? texts.formSheet : describeOther[refused];
  }

  async function check(index: number, line: string): Promise<void> {
    const outcome = line.trim() === "" ? "right" : await checkLine(kind, index, line);
    setErrors((before) =>
      places.map((place) => (place === index ? describeLine(outcome, index, describeOther) : before[place])),
    );
  }

  function change(index: number, typed: string): void {
    setNotice(undefined);
    setIsChanged(true);
    // Pasted as a whole, or filled in by a password manager.
    const given = splitSheet(typed);
    const next = lines.map((line, place) =>
      place === index ? (given[0] ?? typed) : (place > index && given.length > 1 && given[place - index]) || line,
    );
    setLines(next);
    setErrors((before) => places.map((place) => (place === index ? undefined : before[place])));
    if (given.length > 1) void checkAll(next, given);
  }

  /** A sheet that was pasted as a whole. One of another kind is named once, not at each line. */
  async function checkAll(next: readonly string[], given: readonly string[]): Promise<void> {
    const reading = await readSheetLines(kind, given);
    if ("refused" in reading) return setNotice(describe(reading.refused));
    for (const place of places) void check(place, next[place] ?? "");
  }

  return (
    <div className="grid gap-4">
      {sentence !== undefined && (
        <Notice role="alert" tone="danger">
          {sentence}
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <ScanButton onScanned={takeCode}>{texts.scan}</ScanButton>
        <PhotoButton onRead={takeCode} />
      </div>
      <form
        className="grid gap-4"
        onSubmit={async (event) => {
          event.preventDefault();
          take(await readSheetLines(kind, lines));
        }}
      >
        {places.map((index) => (
          <TextField
            autoCapitalize="characters"
            autoComplete="off"
            autoCorrect="off"
            className="max-w-xs font-mono"
            error={errors[index]}
            hint={index === 0 ? texts.hint : undefined}
            key={index}
            label={texts.line(index + 1)}
            onBlur={(event) => void check(index, event.target.value)}
            onChange={(event) => change(index, event.target.value)}
            required
            spellCheck={false}
            value={lines[index] ?? ""}
          />
        ))}
        <div>
          <Button look="primary" pending={isPending} type="submit">
            {action}
          </Button>
        </div>
      </form>
    </div>
  );
}

function describeLine(
  outcome: LineReading,
  index: number,
  describeOther: Readonly<Record<SheetKind, string>>,
): string | undefined {
  if (outcome === "right") return undefined;
  if (typeof outcome === "object") return texts.otherLine(outcome.isLine + 1);
  return outcome === "wrong" ? texts.wrongLine(index + 1) : describeOther[outcome];
}
