import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { InboxIcon } from "../ui/icons.tsx";
import { Empty } from "../ui/page.tsx";
import { MoveFailed, UndoBar } from "./undo-bar.tsx";
import type { BinMoves } from "./use-bin-moves.ts";

const pollMilliseconds = 5_000;

/** Nothing has come yet, or all that came was deleted. Looks now and then, so that the first submission needs no reload. */
export function EmptyInbox({ formId, moves }: { readonly formId: string; readonly moves: BinMoves }) {
  useQuery({ ...queries.form(formId), refetchInterval: pollMilliseconds });
  const may = useMay();
  const { data: binned = 0 } = useQuery(queries.binTotal(formId));
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
