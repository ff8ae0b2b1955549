import { keepPreviousData, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { ListLoading } from "../ui/long-list.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import type { Asked, ListPage } from "./instance-queries.ts";
import type { Sort } from "./instance-search.ts";
import { ListControls } from "./list-controls.tsx";
import { useOpened } from "./use-opened.ts";

const { instance: texts } = text;

/** A list with a search, an order, pages, and a dialog for each of its rows. Where it stands is in the address. */
export function InstanceList<Row extends { readonly id: string }>({
  label,
  sorts,
  pageOf,
  row,
  dialog,
}: {
  readonly label: string;
  /** The first is the one that is used unless another one is chosen. */
  readonly sorts: readonly [Sort, ...Sort[]];
  readonly pageOf: (asked: Asked) => UseQueryOptions<ListPage<Row>, Error, ListPage<Row>, readonly unknown[]>;
  readonly row: (row: Row, onOpen: () => void) => ReactNode;
  /** `onDone` closes it, with a sentence. */
  readonly dialog: (row: Row, onClose: () => void, onDone: (sentence: string) => void) => ReactNode;
}) {
  const { search = "", sort: wished, after = "", view } = useSearch({ from: "/frame/instance" });
  const sort = sorts.find((one) => one === wished) ?? sorts[0];
  const list = useQuery({ ...pageOf({ search, sort, cursor: after }), placeholderData: keepPreviousData });
  const { opened, open, close } = useOpened();
  const [done, setDone] = useState("");
  const status = useFocusInstead<HTMLDivElement>(opened === undefined && done);
  const rows = list.data?.rows ?? [];
  const openRow = rows.find(({ id }) => id === opened);
  const kept = { view, search: search === "" ? undefined : search, sort: wished };
  return (
    <div className="card p-5 sm:p-6">
      <ListControls sort={sort} sorts={sorts} />
      <div className="mb-3 outline-none empty:hidden" ref={status} role="status" tabIndex={-1}>
        {done !== "" && openRow === undefined && <Notice tone="good">{done}</Notice>}
      </div>
      {list.isPending && <ListLoading />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
      {list.data !== undefined && <p className="text-muted text-sm">{texts.found(list.data.total)}</p>}
      {list.isSuccess && rows.length === 0 && <p>{texts.nothingFound}</p>}
      <ul aria-label={label} className="divide-y divide-line">
        {rows.map((one) => row(one, () => open(one.id)))}
      </ul>
      {(after !== "" || list.data?.nextCursor != null) && (
        <nav aria-label={texts.pages} className="mt-3 flex flex-wrap justify-center gap-2">
          {after !== "" && (
            <Link className={buttonClass()} search={kept} to="/instance">
              {texts.firstPage}
            </Link>
          )}
          {list.data?.nextCursor != null && (
            <Link className={buttonClass()} search={{ ...kept, after: list.data.nextCursor }} to="/instance">
              {texts.nextPage}
            </Link>
          )}
        </nav>
      )}
      {openRow !== undefined &&
        dialog(openRow, close, (sentence) => {
          close();
          setDone(sentence);
        })}
    </div>
  );
}
