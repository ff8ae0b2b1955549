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
import { type Fields, useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";

const texts = text.personalKey.sheetInput;

/** The sentences for sheets of another kind than the one that is wanted. */
export type DescribeOther = Readonly<Record<SheetKind, string>>;

export interface SheetOptions {
  /** Which lines are typed. A code may be that of a share as well, where `onShare` takes them. */
  readonly kind: SheetKind;
  readonly describeOther: DescribeOther;
  readonly onSheet: (identity: string) => void;
  readonly onShare?: ((share: RecoveryShare) => void) | undefined;
}

/** Lines by their places, from 0. */
type Lines = Readonly<Record<string, string>>;

interface SheetLines {
  readonly fields: Fields<Lines>;
  readonly places: readonly number[];
  /** A mistake of the sheet as a whole. */
  readonly notice: string | undefined;
  /** Something else is typed by now than what was refused. */
  readonly isChanged: boolean;
  readonly takeCode: (code: string) => Promise<void>;
  readonly check: (place: number, line: string) => Promise<void>;
  readonly change: (place: number, typed: string) => void;
}

/** The lines of a sheet that is typed: each is checked when the next one is begun, and the sheet when it is complete. */
export function useSheetLines(options: SheetOptions): SheetLines {
  const { kind, describeOther, onSheet, onShare } = options;
  const places = Array.from({ length: lineCountOf(kind) }, (_, index) => index);
  const [notice, setNotice] = useState<string>();
  const [isChanged, setIsChanged] = useState(false);
  const fields = useFields<Lines>({
    initial: Object.fromEntries(places.map((place) => [place, ""])),
    passing: "secret",
    send: async (lines) =>
      take(
        await readSheetLines(
          kind,
          places.map((place) => lines[place] ?? ""),
        ),
      ),
  });

  function take(reading: SheetReading): void {
    setIsChanged(false);
    setNotice("refused" in reading ? describeSheet(reading.refused, describeOther) : undefined);
    if ("wrongLines" in reading) {
      fields.refuse(Object.fromEntries(reading.wrongLines.map((place) => [place, texts.wrongLine(place + 1)])));
      for (const place of reading.wrongLines) void check(place, fields.values[place] ?? "");
    }
    if ("identity" in reading) onSheet(reading.identity);
    if ("share" in reading) onShare?.(reading.share);
  }

  async function check(place: number, line: string): Promise<void> {
    if (line.trim() === "") return;
    const outcome = await checkLine(kind, place, line);
    fields.say(String(place), describeLine(outcome, place, describeOther));
  }

  function change(place: number, typed: string): void {
    setNotice(undefined);
    setIsChanged(true);
    // Pasted as a whole, or filled in by a password manager.
    const given = splitSheet(typed);
    if (given.length <= 1) {
      fields.set(String(place), given[0] ?? typed);
      return;
    }
    const next = places.map((own) => (own >= place && given[own - place]) || (fields.values[own] ?? ""));
    for (const own of places) fields.set(String(own), next[own] ?? "");
    void checkAll(next, given);
  }

  /** A sheet that was pasted as a whole. One of another kind is named once, not at each line. */
  async function checkAll(next: readonly string[], given: readonly string[]): Promise<void> {
    const reading = await readSheetLines(kind, given);
    if ("refused" in reading) return setNotice(describeSheet(reading.refused, describeOther));
    for (const place of places) void check(place, next[place] ?? "");
  }

  const takeCode = async (code: string) =>
    take(await readSheetCode(onShare === undefined ? [kind] : ["organization", "share"], code));
  return { fields, places, notice, isChanged, takeCode, check, change };
}

function describeSheet(refused: SheetKind | "formSheet" | "noSheet", describeOther: DescribeOther): string {
  if (refused === "noSheet") return texts.scanned;
  return refused === "formSheet" ? texts.formSheet : describeOther[refused];
}

function describeLine(outcome: LineReading, place: number, describeOther: DescribeOther): string | undefined {
  if (outcome === "right") return undefined;
  if (typeof outcome === "object") return texts.otherLine(outcome.isLine + 1);
  return outcome === "wrong" ? texts.wrongLine(place + 1) : describeOther[outcome];
}
