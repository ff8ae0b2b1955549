import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServiceProcess } from "../support/service-process.ts";
import { post } from "./processes.ts";

/** Clients that submit to several forms, some of which may not be accepted from. Each answer is 201, or 503 that says when to try again. */
export interface FormsLoad {
  /** The submissions to these forms that were answered with 201. */
  accepted(formIds: readonly string[]): Set<string>;
  /** How many to these forms were answered with 503. */
  refused(formIds: readonly string[]): number;
  acceptedMore(more: number, formIds: readonly string[]): Promise<void>;
  refusedMore(more: number, formIds: readonly string[]): Promise<void>;
  /** Throws what a client found wrong. */
  stop(): Promise<void>;
}

const clientCount = 8;

export function startFormsLoad(service: ServiceProcess, formIds: readonly string[]): FormsLoad {
  const ledger = new Map(formIds.map((id) => [id, { accepted: new Set<string>(), refused: 0 }]));
  const progress = new EventTarget();
  let next = 0;
  let isOver = false;
  const clients = Promise.all(
    Array.from({ length: clientCount }, async () => {
      while (!isOver) {
        const formId = formIds[next++ % formIds.length] ?? assert.fail("no forms");
        const { status, headers, body } = await post(service, formId);
        const entry = ledger.get(formId) ?? assert.fail();
        if (status === 201) entry.accepted.add(body.submission.id);
        else {
          assert.deepEqual([status, body.error], [503, "unavailable"], service.output());
          assert.match(headers.get("retry-after") ?? "", /^[0-9]+$/);
          entry.refused += 1;
        }
        progress.dispatchEvent(new Event("answer"));
      }
    }),
  );
  const entries = (wanted: readonly string[]) => wanted.map((id) => ledger.get(id) ?? assert.fail());
  const accepted = (wanted: readonly string[]) => new Set(entries(wanted).flatMap((entry) => [...entry.accepted]));
  const refused = (wanted: readonly string[]) => entries(wanted).reduce((sum, entry) => sum + entry.refused, 0);
  const reach = async (count: () => number, more: number) => {
    const wanted = count() + more;
    while (count() < wanted) await Promise.race([once(progress, "answer"), clients]);
  };
  return {
    accepted,
    refused,
    acceptedMore: (more, wanted) => reach(() => accepted(wanted).size, more),
    refusedMore: (more, wanted) => reach(() => refused(wanted), more),
    async stop() {
      isOver = true;
      await clients;
    },
  };
}
