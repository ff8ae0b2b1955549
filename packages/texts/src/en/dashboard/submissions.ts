import { formatNumber } from "../formats.ts";
import { counted, plural } from "../plurals.ts";

export const submissions = {
  search: "Search in opened submissions",
  searchShort: "Search",
  status: "Show",
  statuses: { all: "All", opened: "Opened", failed: "Not opened" },
  columns: "Columns",
  columnsLabel: "Columns shown",
  refresh: "Look for new submissions",
  export: "Export",
  table: "Submissions",
  select: "Select",
  selectAll: "Select all shown",
  selectRow: (when: string, row: string) => `Select the submission of ${when}, ${row}`,
  /** Tells rows of the same minute apart. `beginning`: of what a visitor wrote, where it was opened. */
  row: (number: number, beginning: string) => `row ${formatNumber(number)}${beginning === "" ? "" : `: ${beginning}`}`,
  received: "Received",
  preview: "Content",
  sortBy: (name: string) => `Sort by ${name}`,
  /** Heard and not seen. `name`: of a field; empty for the time of receipt. */
  sorted: (name: string, isAscending: boolean) =>
    name === ""
      ? `Sorted by time received, ${isAscending ? "oldest" : "newest"} first`
      : `Sorted by ${name}, ${isAscending ? "ascending" : "descending"}`,
  allOpened: (count: number) => `${counted(count, { one: "row is", other: "rows are" })} open`,
  /** Heard and not seen, when another submission is shown. */
  shown: (row: string, when: string) => `Shown: ${row}, ${when}`,
  count: (shown: number, total: number) =>
    shown === total
      ? counted(total, { one: "submission", other: "submissions" })
      : `${formatNumber(shown)} of ${formatNumber(total)} submissions`,
  selected: (count: number) => `${formatNumber(count)} selected`,
  selectedOf: (count: number, total: number) => `${formatNumber(count)} of ${formatNumber(total)} selected`,
  missing: {
    title: (here: number, total: number) =>
      `${formatNumber(here)} of ${counted(total, { one: "submission", other: "submissions" })} are here; ${formatNumber(total - here)} ${plural(total - here, { one: "is", other: "are" })} missing`,
    load: "Load the rest",
    loading: "The rest is being loaded.",
    export: (count: number) =>
      plural(count, { one: "Export without it", other: `Export without ${formatNumber(count)}` }),
    exported: (file: string, count: number) =>
      `Saved as ${file}, without ${counted(count, { one: "submission that is", other: "submissions that are" })} not here`,
    kept: (count: number) =>
      `${counted(count, { one: "more submission is", other: "more submissions are" })} not here, and ${plural(count, { one: "stays", other: "stay" })}.`,
  },
  fresh: (count: number) => `${formatNumber(count)} new`,
  isFresh: "New:",
  seeAll: "Mark all as seen",
  seeAllHint: "New is what came since this list was last open in this browser",
  clearSelection: "Clear selection",
  delete: (count: number) => plural(count, { one: "Delete", other: `Delete ${formatNumber(count)}` }),
  waiting: "Sealed",
  opening: (done: number, of: number) => `Opening ${formatNumber(done)} of ${formatNumber(of)}`,
  loading: (count: number) => `Loading, ${formatNumber(count)} so far`,
  stop: "Stop",
  stopped: (done: number, of: number) => `Stopped after ${formatNumber(done)} of ${formatNumber(of)}`,
  resume: "Resume",
  failed: (count: number) => `${counted(count, { one: "submission", other: "submissions" })} could not be opened`,
  keyMissing: "They were sealed to a key of the form that is not unlocked here.",
  addKey: "Add a key",
  reload: "Reload",
  showFailed: (count: number) => plural(count, { one: "Show it", other: "Show them" }),
  reasons: {
    no_key: "No key for this version",
    unknown_version: "Unknown format",
    could_not_be_opened: "Could not be opened",
    not_sealed: "Not sealed",
    not_loaded: "Not opened yet",
  },
  reasonHints: {
    no_key: (version: number, isHybrid: boolean) =>
      isHybrid
        ? `It was sealed to the hybrid key of version ${version}, which is not unlocked here. Add the key file of that version to read it. An RSA key alone does not open it.`
        : `It was sealed to key version ${version}, and that key is not unlocked here. Add the key of that version to read it.`,
    unknown_version: "It was sealed in a format that this page does not open. Update Sealpost.",
    could_not_be_opened: "It was changed after it was sealed, or sealed to another key. Nothing of it can be shown.",
    not_loaded: "This page could not load all that it needs to open submissions. Reload it.",
    not_sealed: "It came in the clear: anyone with access to the server could have read it, or made it up.",
  },
  emptyTitle: "No submissions yet",
  emptyIntro: "They show up here as soon as somebody sends the form.",
  emptyAction: "Put the form on your page",
  noneFound: "Nothing matches",
  noneFoundHint: "Only opened submissions can be searched.",
  noneFailedHint: "Every submission could be opened.",
  clearFilters: "Clear filters",
  detail: "Submission",
  gone: "The submission of this address is not here. It may have been deleted.",
  previous: "Newer",
  following: "Older",
  copyJson: "Copy as JSON",
  print: "Print",
  notPrintedWhole: "The rest is too long to print. An export has all of it.",
  notPrinted: (count: number) =>
    `${plural(count, { one: "1 more field is", other: `${formatNumber(count)} more fields are` })} not printed. An export has all of them.`,
  showAll: (count: number) => `Show all ${formatNumber(count)} characters`,
  shownOf: (shown: number, count: number) => `${formatNumber(shown)} of ${formatNumber(count)} are shown.`,
  showMore: (count: number) => `Show ${formatNumber(count)} more`,
  noFields: "This submission has no fields.",
  emptyValue: "empty",
  details: "Details",
  id: "Id",
  keyVersion: "Key version",
  receivedAt: "Received",
  sentAt: "Sent, by the visitor's clock",
  notSealed: "Not sealed: this server could read it",
  sealedAlong:
    "The page has sealed something along with these answers that this version does not show. A newer version may: reload the page after an update. The JSON export has it.",
  sealedProof: "Unchanged since it was sealed. Sealing proves secrecy, not who wrote it.",
  deliveries: {
    title: "Webhook deliveries",
    refresh: "Refresh deliveries",
    none: (days: number) =>
      `None yet. A delivery shows up with its first finished attempt, and is kept for ${counted(days, { one: "day", other: "days" })}.`,
    noAddress: "This form has no webhook address, so nothing is sent.",
    toLog: "Show in the delivery log",
  },
  exportTitle: "Export submissions",
  exportIntro: (count: number) =>
    `${counted(count, { one: "submission", other: "submissions" })}, filtered and sorted as shown. The file is made here, in your browser.`,
  exportSelected: (count: number) =>
    `The ${counted(count, { one: "selected submission", other: "selected submissions" })}. The file is made here, in your browser.`,
  formats: { xlsx: "Excel (XLSX)", csv: "CSV", json: "JSON", zip: "ZIP" },
  formatHints: {
    xlsx: "For Excel and LibreOffice. Every text stays as it was typed.",
    csv: "For other programs. Cells that could be taken for formulas begin with an apostrophe.",
    json: "For programs. Values exactly as they were sent.",
    zip: "CSV, JSON, and up to 65,000 texts, one for each submission, to file or to hand on.",
  },
  separator: "Separator",
  separators: { comma: "Comma", semicolon: "Semicolon", tab: "Tab" },
  exportCut: (count: number) =>
    `${counted(count, { one: "text is", other: "texts are" })} longer than a cell of Excel and ${plural(count, { one: "ends", other: "end" })} in “…”. CSV and JSON have all of it.`,
  exportFailed: (count: number) =>
    `${counted(count, { one: "row", other: "rows" })} of these could not be opened. The file names each with its reason, in the column _status.`,
  exportUnopened: "Not everything is opened yet. Wait until it is, or rows will be missing their content.",
  exportReport: "Which ones",
  exportWriting: (done: number, of: number) => `Writing ${formatNumber(done)} of ${formatNumber(of)}`,
  exportStopped: "Stopped: nothing was saved",
  exportDone: (file: string) => `Saved as ${file}`,
  exportWarning: "The file holds the answers in clear. Keep it as carefully as the key.",
};
