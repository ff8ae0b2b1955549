import type { BinnedSubmission } from "@sealpost/sdk";
import { serviceNow } from "../api/service-clock.ts";
import { useForm } from "../form/form-frame.tsx";
import { formatDateTime } from "../texts/format.ts";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Badge } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import type { Outcome } from "./row.ts";
import { previewsOf } from "./row-view.ts";

const dayMilliseconds = 86_400_000;

interface BinRowProps {
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly row: BinnedSubmission;
  readonly opened: Outcome | undefined;
  readonly isSelected: boolean;
  /** Whether the role restores and deletes. */
  readonly mayMove: boolean;
  readonly onSelect: (isSelected: boolean) => void;
  readonly isRestoring: boolean;
  readonly onRestore: () => void;
  /** Nobody deletes under a legal hold. */
  readonly onDelete: (() => void) | undefined;
}

/** A deleted submission, with the day on which it can't be restored any more. */
export function BinRow(props: BinRowProps) {
  const { number, row, opened, isSelected, mayMove, onSelect, isRestoring, onRestore, onDelete } = props;
  const texts = text.bin;
  const previews = previewsOf({ ...row, opened });
  const preview = previews.join(" · ");
  const name = `${formatDateTime(row.receivedAt)}, ${text.submissions.row(number, shorten(previews[0] ?? "", 40))}`;
  const isHeld = useForm().hold !== undefined;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      {mayMove && (
        <label className="-m-2 grid place-items-center p-2">
          <input
            aria-label={texts.select(name)}
            checked={isSelected}
            className="size-5! pointer-coarse:size-6!"
            onChange={({ target }) => onSelect(target.checked)}
            type="checkbox"
          />
        </label>
      )}
      <div className="min-w-0 grow basis-52">
        {opened?.opened === false ? (
          <Badge tone="warning">{text.submissions.reasons[opened.reason]}</Badge>
        ) : (
          <p className="truncate">
            <bdi>{opened === undefined ? text.submissions.waiting : preview}</bdi>
          </p>
        )}
        <p className="text-muted text-sm">
          {texts.received} <Time at={row.receivedAt} />
          {!isHeld && ` · ${texts.left(Math.ceil((row.purgeAt - serviceNow()) / dayMilliseconds))}`}
        </p>
      </div>
      {mayMove && (
        <div className="ml-auto flex gap-2">
          <Button aria-label={`${texts.restore}: ${name}`} onClick={onRestore} pending={isRestoring} small>
            {texts.restore}
          </Button>
          {onDelete !== undefined && (
            <Button aria-label={`${texts.deleteForGood(1)}: ${name}`} look="quiet" onClick={onDelete} small>
              {texts.deleteForGood(1)}
            </Button>
          )}
        </div>
      )}
    </li>
  );
}
