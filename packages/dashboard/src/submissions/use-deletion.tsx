import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { client, lastClient } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import type { Inbox } from "./inbox.ts";

/** How long a deletion can be taken back. Nothing is deleted before, unless the page is closed: it was said to be deleted. */
const undoMilliseconds = 8_000;
/** The most that one request may name. */
const idsMax = 1_000;

export interface Deletion {
  /** Not shown any more, whether or not they are deleted yet. */
  readonly hidden: ReadonlySet<string>;
  /** How many can still be brought back. */
  readonly pendingCount: number;
  readonly error: unknown;
  remove(ids: readonly string[]): void;
  undo(): void;
}

export function useDeletion(formId: string, inbox: Inbox): Deletion {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [pendingCount, setPendingCount] = useState(0);
  const [error, setError] = useState<unknown>();
  const pending = useRef<readonly string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const queryClient = useQueryClient();

  const unhide = useCallback((ids: readonly string[]) => setHidden((before) => without(before, ids)), []);

  const commit = useCallback(
    async (through = client) => {
      clearTimeout(timer.current);
      const ids = pending.current;
      pending.current = [];
      setPendingCount(0);
      try {
        for (let start = 0; start < ids.length; start += idsMax) {
          const some = ids.slice(start, start + idsMax);
          await through.submissions.deleteMany(formId, some);
          inbox.remove(new Set(some));
          unhide(some);
        }
      } catch (reason) {
        setError(reason);
        unhide(ids);
      }
      if (ids.length > 0) {
        await queryClient.invalidateQueries(queries.form(formId));
        await queryClient.invalidateQueries({ queryKey: ["forms"] });
      }
    },
    [formId, inbox, queryClient, unhide],
  );

  // Leaving the list, or closing the page, ends the time to undo: what was hidden is deleted.
  useEffect(() => () => void commit(), [commit]);
  useEffect(() => {
    const finish = () => void commit(lastClient);
    window.addEventListener("pagehide", finish);
    return () => window.removeEventListener("pagehide", finish);
  }, [commit]);

  return {
    hidden,
    pendingCount,
    error,
    remove(ids) {
      void commit();
      setError(undefined);
      pending.current = ids;
      setPendingCount(ids.length);
      setHidden((before) => new Set([...before, ...ids]));
      timer.current = setTimeout(commit, undoMilliseconds);
    },
    undo() {
      clearTimeout(timer.current);
      unhide(pending.current);
      pending.current = [];
      setPendingCount(0);
    },
  };
}

function without(set: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  const rest = new Set(set);
  for (const id of ids) rest.delete(id);
  return rest;
}

/** Says what was deleted, and brings it back for as long as that is possible. */
export function UndoBar({ deletion: { pendingCount, undo } }: { readonly deletion: Deletion }) {
  return (
    <div className="pointer-events-none fixed inset-x-0 bottom-4 z-20 grid justify-items-center px-4" role="status">
      {pendingCount > 0 && (
        <div className="pointer-events-auto flex items-center gap-4 rounded-lg border border-line bg-raised py-2 pr-2 pl-4 shadow-float">
          <span>{text.submissions.deleted(pendingCount)}</span>
          <Button onClick={undo} small>
            {text.submissions.undo}
          </Button>
        </div>
      )}
    </div>
  );
}
