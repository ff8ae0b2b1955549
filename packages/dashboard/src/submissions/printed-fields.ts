import type { ExactFields } from "@sealpost/wire";
import { cutName, nameCharactersMax, namesOf, toText } from "./row-view.ts";

/** More than any form has. Strangers can send sixty thousand, and the browser lays each one out before it prints. */
const fieldsMax = 1_000;
/** About forty sheets of text, or a hundred of line breaks. A combining mark counts twice: 300,000 characters of them stopped the page for 0.3 s. */
const charactersMax = 100_000;
const linesMax = 5_000;

export interface PrintedField {
  readonly name: string;
  readonly value: string;
  /** Whether the value continues beyond the printed part. */
  readonly isCut: boolean;
}

/** The printed part of a submission, and the number of fields left out. */
export function printedFields(fields: ExactFields): {
  readonly fields: readonly PrintedField[];
  readonly left: number;
} {
  const names = namesOf(fields);
  const printed: PrintedField[] = [];
  let characters = charactersMax;
  let lines = linesMax;
  for (const name of names.slice(0, fieldsMax)) {
    if (characters <= 0 || lines <= 0) break;
    const whole = toText(fields[name]);
    const value = firstLines(firstCharacters(whole, characters), lines);
    printed.push({ name: cutName(name), value, isCut: value.length < whole.length });
    characters -= value.length + countMarks(value) + Math.min(name.length, nameCharactersMax);
    lines -= value.split("\n").length;
  }
  return { fields: printed, left: names.length - printed.length };
}

/** As much of a text as `count` allows, combining marks counted twice. */
function firstCharacters(text: string, count: number): string {
  let marks = 0;
  for (const { index } of text.slice(0, count).matchAll(/\p{M}/gu)) {
    if (index + marks >= count) break;
    marks++;
  }
  return text.slice(0, count - marks);
}

function countMarks(text: string): number {
  return text.match(/\p{M}/gu)?.length ?? 0;
}

function firstLines(text: string, count: number): string {
  let end = -1;
  for (let line = 0; line < count; line++) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) return text;
  }
  return text.slice(0, end);
}
