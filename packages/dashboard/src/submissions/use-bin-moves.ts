import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { client } from "../api/client.ts";
import { mayHaveArrived } from "../api/describe-error.ts";
import { queries } from "../api/queries.ts";
import { useForm } from "../form/form-frame.tsx";
import type { Inbox, RemovedRow } from "./inbox.ts";

/** The rows that one press of Delete took out of the list, and where to put them back. */
interface Move {
  readonly ids: readonly string[];
  readonly count: number;
  readonly isForGood: boolean;
  readonly inbox: Inbox;
  readonly removed: readonly RemovedRow[];
}

export interface BinMoves {
  /** Not shown any more, though the server has not answered yet. */
  readonly hidden: ReadonlySet<string>;
  /** The latest that can be undone, or that was deleted for good. */
  readonly last: Pick<Move, "count" | "isForGood" | "ids"> | undefined;
  /** How many the last Undo brought back, while an earlier move is the latest again. */
  readonly restored: number | undefined;
  /** How many the last Undo could not bring back, because they had been deleted for good. */
  readonly gone: number;
  readonly error: { readonly what: "move" | "undo"; readonly reason: unknown } | undefined;
  readonly isUndoing: boolean;
  /** `onFailed` is called where some of them stayed. */
  move(inbox: Inbox, ids: readonly string[], onFailed: () => void): void;
  /** Takes the latest back; the one before it is then the latest. */
  undo(): void;
  /** Takes the message away, and nothing else: what was moved stays in the bin. */
  dismiss(): void;
  /** Takes the message of what is gone away. */
  dismissGone(): void;
  /** Takes the message of the error away. */
  dismissError(): void;
}

const none: ReadonlySet<string> = new Set();
/** The most that one request may name. */
const idsAtOnce = 1_000;

/**
 * Deleting as the server does it at once: nothing waits in this page, so a reload or a closed tab changes nothing. What was
 * moved to the bin is put back one press after the other; what is older is restored in the bin itself.
 */
export function useBinMoves(): BinMoves {
  const { id: formId, settings } = useForm();
  const [hidden, setHidden] = useState(none);
  const [moves, setMoves] = useState<readonly Move[]>([]);
  const queryClient = useQueryClient();
  const refresh = async () => {
    await queryClient.invalidateQueries(queries.form(formId));
    await queryClient.invalidateQueries(queries.binTotal(formId));
    await queryClient.invalidateQueries({ queryKey: ["forms"] });
  };
  const last = moves.at(-1);
  /** Named by this page in requests whose answers were lost: it may be this page that has moved them. */
  const unanswered = useRef(new Set<string>());
  /** The same of Undo. */
  const perhapsBack = useRef(new Set<string>());

  async function send(ids: readonly string[], restorable: boolean) {
    try {
      return await client.submissions.moveToBin(formId, ids, { restorable });
    } catch (error) {
      if (mayHaveArrived(error)) for (const id of ids) unanswered.current.add(id);
      throw error;
    }
  }

  /** Another tab may have moved some of them earlier. This page moved its own last. */
  async function findOwn(ids: readonly string[], count: number): Promise<readonly string[]> {
    const own: string[] = [];
    if (count > 0)
      for await (const { id } of client.submissions.bin(formId)) {
        if (ids.includes(id)) own.push(id);
        if (own.length === count) break;
      }
    return own;
  }

  const moving = useMutation({
    async mutationFn({ inbox, ids }: { readonly inbox: Inbox; readonly ids: readonly string[] }) {
      const removed: RemovedRow[] = [];
      const own: string[] = [];
      let [count, isForGood] = [0, false];
      // As this page has said. Somebody may have turned the bin off meanwhile.
      const restorable = settings.binDays > 0;
      try {
        for (let start = 0; start < ids.length; start += idsAtOnce) {
          const some = ids.slice(start, start + idsAtOnce);
          const { submissionsBinned, submissionsDeleted } = await send(some, restorable);
          removed.push(...inbox.remove(new Set(some)));
          const before = some.filter((id) => unanswered.current.delete(id));
          const mine =
            submissionsBinned === some.length ? some : await findOwn(some, Math.max(submissionsBinned, before.length));
          own.push(...mine);
          count += mine.length + submissionsDeleted;
          isForGood ||= submissionsDeleted > 0;
        }
      } finally {
        // Also what was moved before one of the requests failed.
        if (removed.length > 0) setMoves((before) => [...before, { ids: own, count, isForGood, inbox, removed }]);
      }
    },
    onMutate: ({ ids }) => setHidden((before) => new Set([...before, ...ids])),
    onSettled: (_answer, _error, { ids }) => {
      const shown = new Set(ids);
      setHidden((before) => new Set([...before].filter((id) => !shown.has(id))));
      return refresh();
    },
  });
  async function askBack(ids: readonly string[]): Promise<number> {
    try {
      return await client.submissions.restore(formId, ids);
    } catch (error) {
      if (mayHaveArrived(error)) for (const id of ids) perhapsBack.current.add(id);
      throw error;
    }
  }

  /** The rows of a move that the form has again. Somebody may have restored some of them earlier, or deleted them for good. */
  async function restore({ ids, removed }: Move) {
    const answered = await askBack(ids);
    const wanted = removed.filter(({ row }) => ids.includes(row.id));
    if (answered === ids.length || wanted.length === 0) return { restored: answered, back: wanted, gone: 0 };
    const from = wanted.reduce((earliest, { row }) => Math.min(earliest, row.receivedAt), Number.POSITIVE_INFINITY);
    const to = wanted.reduce((latest, { row }) => Math.max(latest, row.receivedAt), 0);
    const there = new Set<string>();
    for await (const { id } of client.submissions.all(formId, { from, to })) there.add(id);
    const back = wanted.filter(({ row }) => there.has(row.id));
    const earlier = ids.filter((id) => perhapsBack.current.delete(id) && there.has(id)).length;
    const restored = Math.max(answered, earlier);
    return { restored, back, gone: ids.filter((id) => !there.has(id)).length };
  }

  const undoing = useMutation({
    mutationFn: restore,
    onSuccess: ({ back }, move) => {
      move.inbox.putBack(back);
      setMoves((before) => before.filter((one) => one !== move));
    },
    onSettled: refresh,
  });
  const failed = undoing.error !== null ? undoing : moving;
  return {
    hidden,
    last,
    error: failed.error === null ? undefined : { what: failed === undoing ? "undo" : "move", reason: failed.error },
    restored: undoing.data?.restored,
    gone: undoing.data?.gone ?? 0,
    isUndoing: undoing.isPending,
    move(inbox, ids, onFailed) {
      undoing.reset();
      moving.mutate({ inbox, ids }, { onError: onFailed });
    },
    undo() {
      moving.reset();
      if (last !== undefined && !last.isForGood && !undoing.isPending) undoing.mutate(last);
    },
    dismiss: () => setMoves([]),
    dismissGone: undoing.reset,
    dismissError() {
      moving.reset();
      undoing.reset();
    },
  };
}
