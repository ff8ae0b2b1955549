import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { isKept } from "../api/is-kept.ts";
import { queries } from "../api/queries.ts";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { InboxIcon } from "../ui/icons.tsx";
import { Empty } from "../ui/page.tsx";
import { InboxSkeleton } from "./inbox-skeleton.tsx";
import { MoveFailed, UndoBar } from "./undo-bar.tsx";
import type { BinMoves } from "./use-bin-moves.ts";

const pollMilliseconds = 5_000;

/** Nothing has come yet, or all that came was deleted. Looks now and then, so that the first submission needs no reload. */
export function EmptyInbox({ formId, moves }: { readonly formId: string; readonly moves: BinMoves }) {
  const form = useQuery({ ...queries.form(formId), refetchInterval: pollMilliseconds });
  const may = useMay();
  const bin = useQuery(queries.binTotal(formId));
  const binned = bin.data ?? 0;
  if (isKept(form) || bin.isPending || (binned === 0 && isKept(bin))) return <InboxSkeleton />;
  return (
    <div className="grid gap-3">
      <MoveFailed moves={moves} />
      <div className="card">
        {binned === 0 ? (
          <Empty
            action={
              may("updateForm") && (
                <Link className={buttonClass("primary")} params={{ formId }} to="/forms/$formId/embed">
                  {text.submissions.emptyAction}
                </Link>
              )
            }
            icon={<InboxIcon className="size-6" />}
            title={text.submissions.emptyTitle}
          >
            {text.submissions.emptyIntro}
          </Empty>
        ) : (
          <Empty
            action={
              <Link className={buttonClass("primary")} params={{ formId }} to="/forms/$formId/bin">
                {text.bin.showBin}
              </Link>
            }
            icon={<InboxIcon className="size-6" />}
            title={text.bin.noneLeft}
          >
            {text.bin.noneLeftIntro(binned)}
          </Empty>
        )}
      </div>
      <UndoBar moves={moves} />
    </div>
  );
}
