import { text } from "../texts/text.ts";
import { Skeleton } from "../ui/page.tsx";

/** Rows that are still loading. */
export function InboxSkeleton() {
  return (
    <div aria-busy="true" className="card divide-y divide-line">
      <p className="sr-only">{text.common.loading}</p>
      {Array.from({ length: 10 }, (_, index) => `row-${index}`).map((key) => (
        <div className="flex gap-6 px-5 py-3.5" key={key}>
          <Skeleton className="h-4 w-24" />
          <Skeleton className="h-4 grow" />
        </div>
      ))}
    </div>
  );
}
