import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { text } from "../texts/text.ts";
import { Button } from "./button.tsx";
import { Skeleton } from "./page.tsx";

/** In place of a list of which nothing has come yet. */
export function ListLoading() {
  return (
    <div aria-busy="true" className="grid gap-3">
      <p className="sr-only">{text.common.loading}</p>
      <Skeleton className="h-8 w-full" />
      <Skeleton className="h-8 w-full" />
    </div>
  );
}

/** Below a list that comes page by page, while there is more. */
export function MoreButton({
  list,
  children,
}: {
  readonly list: Pick<UseInfiniteQueryResult, "hasNextPage" | "fetchNextPage" | "isFetchingNextPage">;
  readonly children: string;
}) {
  if (!list.hasNextPage) return null;
  return (
    <div className="mt-3 text-center">
      <Button onClick={() => list.fetchNextPage()} pending={list.isFetchingNextPage} small>
        {children}
      </Button>
    </div>
  );
}
