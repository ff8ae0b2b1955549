import { Link } from "@tanstack/react-router";
import { DropdownMenu } from "radix-ui";
import { useId } from "react";
import { lockForm, useKeys } from "../keys/keyring.ts";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass, IconButton } from "../ui/button.tsx";
import { CheckIcon, ChevronIcon, DownloadIcon, LockIcon, RefreshIcon, SearchIcon, TrashIcon } from "../ui/icons.tsx";
import { Select } from "../ui/select.tsx";
import type { Inbox } from "./inbox.ts";
import { headingsOf, type View } from "./row-view.ts";
import { useMayDelete } from "./use-may-delete.ts";

interface ToolbarProps {
  readonly formId: string;
  readonly inbox: Inbox;
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly columns: readonly string[];
  readonly chosenColumns: readonly string[];
  readonly onColumns: (columns: readonly string[]) => void;
  readonly selectedCount: number;
  /** Where all that are here are selected: how many are not. */
  readonly missingCount: number;
  readonly shownCount: number;
  readonly total: number;
  readonly onDelete: () => void;
  readonly onExport: () => void;
  readonly onClearSelection: () => void;
  readonly freshCount: number;
  readonly onSeeAll: () => void;
}

export function InboxToolbar(props: ToolbarProps) {
  return (
    <div className="grid gap-1 sm:gap-2">
      <Filters {...props} />
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-muted max-sm:text-sm">
        <Counts {...props} />
        {props.selectedCount > 0 && <SelectionBar {...props} />}
        <ListActions {...props} />
      </div>
    </div>
  );
}

function Filters({ view, onView, columns, chosenColumns, onColumns, onExport }: ToolbarProps) {
  const statusId = useId();
  const texts = text.submissions;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="relative min-w-0 grow basis-32 sm:basis-56">
        <SearchIcon className="absolute top-3 left-3 size-4 text-muted" />
        <input
          aria-label={texts.search}
          className="control pl-9"
          onChange={(event) => onView({ ...view, search: event.target.value })}
          placeholder={texts.searchShort}
          type="search"
          value={view.search}
        />
      </div>
      <label className="sr-only" htmlFor={statusId}>
        {texts.status}
      </label>
      <Select
        className="max-w-[40%] shrink-0 sm:max-w-none"
        id={statusId}
        look="button"
        onChange={(status) => onView({ ...view, status })}
        options={(["all", "opened", "failed"] as const).map((status) => [status, texts.statuses[status]])}
        value={view.status}
      />
      <div className="hidden sm:block">
        <ColumnMenu chosen={chosenColumns} columns={columns} onChange={onColumns} />
      </div>
      <Button icon={<DownloadIcon />} onClick={onExport}>
        <span className="max-sm:sr-only">{texts.export}</span>
      </Button>
    </div>
  );
}

function Counts({ selectedCount, missingCount, shownCount, total, freshCount, onSeeAll }: ToolbarProps) {
  const texts = text.submissions;
  // On a phone the selection has a bar of its own below: a line more or less here would move the rows under the finger.
  const unlessSelected = selectedCount > 0 ? "sm:hidden" : "contents";
  return (
    <>
      <p role="status">
        {selectedCount > 0 && <span className="max-sm:sr-only">{describeSelection(selectedCount, missingCount)}</span>}
        <span className={unlessSelected}>
          {/* All of them are being deleted: what is left is known once that is answered. */}
          {total > 0 && texts.count(shownCount, total)}
          {freshCount > 0 && <span className="text-accent"> · {texts.fresh(freshCount)}</span>}
        </span>
      </p>
      {freshCount > 0 && (
        <div className={unlessSelected}>
          <Button look="quiet" onClick={onSeeAll} small title={texts.seeAllHint}>
            {texts.seeAll}
          </Button>
        </div>
      )}
    </>
  );
}

function describeSelection(count: number, missing: number): string {
  const texts = text.submissions;
  return missing === 0 ? texts.selected(count) : texts.selectedOf(count, count + missing);
}

function SelectionBar({ selectedCount, missingCount, onDelete, onClearSelection }: ToolbarProps) {
  const mayDelete = useMayDelete();
  const texts = text.submissions;
  return (
    <div className="flex items-center gap-3 max-sm:fixed max-sm:inset-x-0 max-sm:flex-wrap max-sm:bottom-0 max-sm:z-20 max-sm:border-line max-sm:border-t max-sm:bg-raised max-sm:px-4 max-sm:py-2 max-sm:shadow-float">
      <span aria-hidden="true" className="mr-auto sm:hidden">
        {describeSelection(selectedCount, missingCount)}
      </span>
      {mayDelete && (
        <Button icon={<TrashIcon />} onClick={onDelete} small>
          {texts.delete(selectedCount)}
        </Button>
      )}
      <Button look="quiet" onClick={onClearSelection} small>
        {texts.clearSelection}
      </Button>
    </div>
  );
}

function ListActions({ formId, inbox }: ToolbarProps) {
  const isUnlocked = useKeys(formId).length > 0;
  return (
    <div className="ml-auto flex flex-wrap items-center">
      <Link className={buttonClass("quiet", true)} params={{ formId }} to="/forms/$formId/bin">
        <TrashIcon />
        {text.bin.link}
      </Link>
      <IconButton icon={<RefreshIcon />} label={text.submissions.refresh} onClick={() => inbox.refresh()} />
      {isUnlocked && (
        <Button icon={<LockIcon />} look="quiet" onClick={() => lockForm(formId)} small title={text.keys.lockHint}>
          {text.keys.lock}
        </Button>
      )}
    </div>
  );
}

function ColumnMenu({
  columns,
  chosen,
  onChange,
}: {
  readonly columns: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (columns: readonly string[]) => void;
}) {
  const headingOf = headingsOf(columns);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={buttonClass("secondary")} disabled={columns.length === 0}>
        {text.submissions.columns}
        <ChevronIcon />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        align="end"
        aria-label={text.submissions.columnsLabel}
        className="z-30 max-h-96 w-64 overflow-y-auto rounded-xl border border-line bg-raised p-1.5 shadow-float"
        sideOffset={6}
      >
        {columns.map((name) => (
          <DropdownMenu.CheckboxItem
            checked={chosen.includes(name)}
            className="flex items-center justify-between gap-3 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-sunken data-highlighted:outline-2 data-highlighted:outline-solid data-highlighted:outline-accent"
            key={name}
            onCheckedChange={(isChosen) =>
              onChange(columns.filter((column) => (column === name ? isChosen : chosen.includes(column))))
            }
            onSelect={(event) => event.preventDefault()}
          >
            <bdi className="truncate" title={shorten(name)}>
              {headingOf(name)}
            </bdi>
            <DropdownMenu.ItemIndicator>
              <CheckIcon />
            </DropdownMenu.ItemIndicator>
          </DropdownMenu.CheckboxItem>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
