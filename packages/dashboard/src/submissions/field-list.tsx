import type { ExactFields, ExactValue } from "@sealpost/wire";
import { useState } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { cutName, headingsOf, namesOf, toText } from "./row-view.ts";

/** More than forms have. A stranger can send sixty thousand, and as many values of one: all at once would freeze the page. */
const shownMax = 200;
const shownMore = 500;
/** And no more than so many characters of them at first, because the browser lays each one out. */
const shownCharactersMax = 40_000;
/** A megabyte of text is shown when it is asked for, not before. */
const charactersMax = 20_000;

/** The answers, or a part of them where there are more than any form asks. */
export function FieldList({ fields }: { readonly fields: ExactFields }) {
  const names = namesOf(fields);
  const { shown, more } = useShown(names.length, countFitting(fields, names));
  const shownNames = names.slice(0, shown);
  const headingOf = headingsOf(shownNames);
  if (names.length === 0) return <p className="text-muted">{text.submissions.noFields}</p>;
  return (
    <>
      <dl className="grid gap-4">
        {shownNames.map((name) => (
          <div key={name}>
            <dt className="text-muted text-sm">
              <bdi title={cutName(name)}>{headingOf(name)}</bdi>
              {headingOf(name) !== cutName(name) && headingOf(name).toLowerCase() !== name && (
                <bdi className="ml-2 font-mono text-xs" translate="no">
                  {name}
                </bdi>
              )}
            </dt>
            <dd className="mt-0.5">
              <Value value={fields[name] ?? null} />
            </dd>
          </div>
        ))}
      </dl>
      {more}
    </>
  );
}

/** How many fields are shown at first, at least one. */
function countFitting(fields: ExactFields, names: readonly string[]): number {
  let characters = 0;
  const end = names.slice(0, shownMax).findIndex((name, index) => {
    characters += Math.min(toText(fields[name]).length, charactersMax);
    return index > 0 && characters > shownCharactersMax;
  });
  return end === -1 ? shownMax : end;
}

/** How many of so many are shown, and the button for more of them. */
function useShown(count: number, first = shownMax) {
  const [shown, setShown] = useState(first);
  const left = count - shown;
  const more = left > 0 && (
    <div className="flex flex-wrap items-center gap-3 text-muted text-sm">
      <span role="status">{text.submissions.shownOf(shown, count)}</span>
      <Button onClick={() => setShown(shown + shownMore)} small>
        {text.submissions.showMore(Math.min(left, shownMore))}
      </Button>
    </div>
  );
  return { shown, more };
}

/** A stranger's text, as text and nothing else; isolated, so that its direction turns round nothing of ours. */
function Value({ value }: { readonly value: ExactValue }) {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return <TextList items={value} />;
  return <Text whole={toText(value)} />;
}

function TextList({ items }: { readonly items: readonly string[] }) {
  const { shown, more } = useShown(items.length);
  return (
    <>
      <ul className="grid gap-0.5">
        {items.slice(0, shown).map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values may repeat, and the list never changes
          <li key={index}>
            <bdi className="whitespace-pre-wrap">{item.slice(0, charactersMax)}</bdi>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

function Text({ whole }: { readonly whole: string }) {
  const [isWhole, setIsWhole] = useState(false);
  if (whole === "") return <span className="text-muted italic">{text.submissions.emptyValue}</span>;
  const isLong = whole.length > charactersMax && !isWhole;
  return (
    <>
      <bdi className="block whitespace-pre-wrap">{isLong ? `${whole.slice(0, charactersMax)}…` : whole}</bdi>
      {isLong && (
        <Button className="mt-2" onClick={() => setIsWhole(true)} small>
          {text.submissions.showAll(whole.length)}
        </Button>
      )}
    </>
  );
}
