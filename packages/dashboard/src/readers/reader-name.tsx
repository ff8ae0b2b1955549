import { text } from "../texts/text.ts";
import { Badge } from "../ui/page.tsx";
import type { ReaderRow } from "./reader-rows.ts";

const { readers: texts } = text;

/** A name with role, and what is to be known about this reader. */
export function ReaderName({ row, isSelf }: { readonly row: ReaderRow; readonly isSelf: boolean }) {
  const { name, role, reads, hasAccess, alike, ownWord, isUnproven, isUnknown } = row;
  return (
    <>
      <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
      <Badge>{texts.roles[role]}</Badge>
      {isSelf && <Badge>{texts.self}</Badge>}
      {reads === "some" && <Badge tone="warning">{texts.some}</Badge>}
      {reads === "other_key" && <Badge tone="warning">{texts.otherKey}</Badge>}
      {reads === "gone" && <Badge tone="warning">{texts.gone}</Badge>}
      {alike.length > 0 && (
        <Badge isLong tone="warning">
          {texts.alike(alike)}
        </Badge>
      )}
      {ownWord.length > 0 && (
        <Badge isLong tone="warning">
          {texts.ownWord(ownWord)}
        </Badge>
      )}
      {isUnproven && (
        <Badge isLong tone="warning">
          {isUnknown ? texts.unknown : texts.unproven}
        </Badge>
      )}
      {hasAccess === false && reads !== "none" && <span className="text-muted text-sm">{texts.noAccess}</span>}
      {hasAccess === true && reads === "none" && <span className="text-muted text-sm">{texts.mayRead}</span>}
    </>
  );
}
