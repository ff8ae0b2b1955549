import { commonestNames } from "@sealpost/sdk/csv";
import { type ExactFields, type ExactValue, exactFieldsOf, formatExactly } from "@sealpost/wire";
import { fold } from "../texts/fold.ts";
import { shorten } from "../texts/shorten.ts";
import type { Row } from "./row.ts";

/** A value as one text: a list of texts with `, ` between them, anything else as JSON. */
export function toText(value: ExactValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return formatExactly(value);
}

/** More than forms have. Strangers can send sixty thousand. */
const manyNames = 1_000;
const keptNames = new WeakMap<ExactFields, readonly string[]>();

/** The names of fields in their order. Listing very many takes a browser as long as a frame or two, so it is done once. */
export function namesOf(fields: ExactFields): readonly string[] {
  const kept = keptNames.get(fields);
  if (kept !== undefined) return kept;
  const names = Object.keys(fields);
  if (names.length > manyNames) keptNames.set(fields, names);
  return names;
}

/** A field's value as a text; never one that the field's name only inherits, such as `constructor`. */
export function fieldText(row: Row, name: string): string {
  const fields = fieldsOf(row);
  return fields !== undefined && Object.hasOwn(fields, name) ? toText(fields[name]) : "";
}

/** No form has longer names; a stranger can send one of a megabyte. */
export const nameCharactersMax = 300;

/** A field's name as it was sent, except for its end where it is longer than any form's. */
export function cutName(name: string): string {
  return name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax)}…` : name;
}

/** As programs write names: words of letters and digits, joined by `_`, `-` or a capital. */
const programsName = /^\p{Ll}[\p{L}\p{N}]{0,60}(?:[_-][\p{L}\p{N}]{1,60}){0,9}$/u;

/** `first_name` and `firstName` as "First name". Names that somebody wrote for people are unchanged. */
function humanName(name: string): string {
  if (name.length > 100 || !programsName.test(name)) return cutName(name);
  const words = name.replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, "$1 ").split(/[_ ]|(?<=\p{L}{2})-/u);
  const text = words
    .map((word, index) => (index > 0 && /^\p{Lu}\p{Ll}/u.test(word) ? word.toLowerCase() : word))
    .join(" ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The heading for each name; two that would be called the same keep their names as they were sent. */
export function headingsOf(names: readonly string[]): (name: string) => string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(humanName(name), (counts.get(humanName(name)) ?? 0) + 1);
  return (name) => (counts.get(humanName(name)) === 1 ? humanName(name) : cutName(name));
}

/** The first texts of a row, for where there is no room for columns. Each has a direction of its own: they are strangers' words. */
export function previewsOf(row: Row): readonly string[] {
  const texts: string[] = [];
  // No further than to the third: there may be sixty thousand.
  for (const name of namesOf(fieldsOf(row) ?? {})) {
    const value = shorten(fieldText(row, name), 80);
    if (value !== "") texts.push(value);
    if (texts.length === 3) break;
  }
  return texts;
}

/** The visitor's answers, if they are readable here, with the digits that were sealed. */
export function fieldsOf({ opened }: Row): ExactFields | undefined {
  return opened?.opened === true ? exactFieldsOf(opened) : undefined;
}

/** The names of fields in the order in which forms have them, at most `countMax`, those of most submissions. */
export function columnsOf(rows: readonly Row[], countMax: number): readonly string[] {
  return commonestNames(
    rows.map((row) => ({ fields: beginningOf(fieldsOf(row)) })),
    countMax,
  ).names;
}

const beginnings = new WeakMap<ExactFields, ExactFields>();

/** Fields among which columns are looked for: of very many the first, so that one submission costs the list no more than others. */
function beginningOf(fields: ExactFields | undefined): ExactFields | undefined {
  if (fields === undefined) return undefined;
  const kept = beginnings.get(fields);
  if (kept !== undefined) return kept;
  const names = namesOf(fields);
  if (names.length <= manyNames) return fields;
  const beginning = Object.fromEntries(names.slice(0, manyNames).map((name) => [name, null]));
  beginnings.set(fields, beginning);
  return beginning;
}

export type StatusFilter = "all" | "opened" | "failed";

export interface View {
  readonly search: string;
  readonly status: StatusFilter;
  /** `""` sorts by the time of receipt. */
  readonly sortBy: string;
  readonly isAscending: boolean;
}

/** The view after a click on the heading of a column: sorted by it, or turned round if it was already. */
export function sortView(view: View, column: string): View {
  return { ...view, sortBy: column, isAscending: view.sortBy === column ? !view.isAscending : column !== "" };
}

const haystacks = new WeakMap<object, string>();

function haystackOf({ opened }: Row): string {
  if (opened?.opened !== true) return "";
  let haystack = haystacks.get(opened);
  if (haystack === undefined) {
    haystack = fold([...Object.values(exactFieldsOf(opened)).map(toText)].join("\n"));
    haystacks.set(opened, haystack);
  }
  return haystack;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The rows that the view shows, in its order. `rows` come newest first. */
export function applyView(rows: readonly Row[], { search, status, sortBy, isAscending }: View): readonly Row[] {
  const words = fold(search).split(/\s+/).filter(Boolean);
  const filtered = rows.filter((row) => {
    if (status === "opened" && row.opened?.opened !== true) return false;
    if (status === "failed" && row.opened?.opened !== false) return false;
    if (words.length === 0) return true;
    const haystack = haystackOf(row);
    // An id is searched for by its beginning: anywhere in it, two digits would find every row.
    return words.every((word) => haystack.includes(word) || (word.startsWith("sub_") && row.id.startsWith(word)));
  });
  if (sortBy === "") return isAscending ? filtered.toReversed() : filtered;
  const keyed = filtered.map((row) => ({ row, key: fieldText(row, sortBy).slice(0, 200) }));
  // Rows without the field come last, either way round.
  keyed.sort((a, b) =>
    a.key === "" || b.key === ""
      ? Number(a.key === "") - Number(b.key === "")
      : collator.compare(a.key, b.key) * (isAscending ? 1 : -1),
  );
  return keyed.map(({ row }) => row);
}

/** Rem below which a column of this weight is not squeezed. */
export const widthMinOf = (weight: number): number => 4 + 4 * weight;

/** How much room a column deserves compared to the others, 1 to 3 in halves, by the length of its first texts. */
export function weightOf(rows: readonly Row[], name: string): number {
  const lengths = rows.slice(0, 30).map((row) => Math.min(fieldText(row, name).length, 80));
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return Math.min(3, Math.max(1, Math.round(average / 5) / 2));
}
