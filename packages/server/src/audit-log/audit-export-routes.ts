import { Readable } from "node:stream";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { type AccountId, type AuditHead, auditFormat, startAuditLog } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { accountOf, askerOf, principalOf } from "../access/access.ts";
import { problems, reference } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { PageTurns, RunPage } from "../time/page-turns.ts";
import { toChainedEntry } from "./audit-chain.ts";
import { type AuditChainStore, type AuditLogEnds, describeRemoved } from "./audit-chain-store.ts";
import { byPrincipal } from "./audit-entry.ts";
import { AuditExportLine, AuditExportQuery } from "./audit-log-schemas.ts";
import type { CountedActions } from "./counted-actions.ts";
import type { RecordReading } from "./owed-entries.ts";

/**
 * Entries that are in memory at once: each has a few hundred bytes, and at most some 30,000, of a change of fifty allowed
 * origins. So a stream holds no more than what `installUnreadLimit` counts for it.
 */
const exportBatch = 50;

export interface AuditExportRouteDependencies {
  readonly recordReading: RecordReading;
  readonly auditChain: AuditChainStore;
  readonly countedActions: CountedActions;
  readonly clock: Clock;
  readonly pageTurns: PageTurns;
}

/** The whole chain as NDJSON, in constant memory: a batch is read when the one before has been taken by the client. */
export function createAuditExportRoutes({
  recordReading,
  auditChain,
  countedActions,
  clock,
  pageTurns,
}: AuditExportRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    const running = new Set<Readable>();
    // A slow client would hold up a shutdown for ever; it sees an answer that broke off, and asks again with `after`.
    app.addHook("preClose", async () => {
      for (const stream of running) stream.destroy();
    });

    app.route({
      method: "GET",
      url: "/api/audit-log/export",
      config: { access: "session" },
      schema: {
        operationId: "exportAuditLog",
        summary: "Export the audit log as NDJSON, oldest first",
        description:
          "A line about the log, then one for each entry, chained by their hashes; `sealpost verify-log` checks it. Holds what was there when it began, the export itself included. An answer that ends without the closing chunk broke off: ask again with `after`.",
        tags: ["Account"],
        querystring: AuditExportQuery,
        response: {
          200: {
            description: "Lines of JSON: one about the log, then the entries.",
            content: { "application/x-ndjson": { schema: reference(AuditExportLine) } },
          },
          ...problems(400, 401, 403, 429, 503),
        },
      },
      handler: async (request, reply) => {
        const accountId = accountOf(request);
        const runPage = pageTurns.begin(askerOf(request), reply.raw, "audit log");
        const now = clock.now();
        await recordReading({
          ...byPrincipal(principalOf(request)),
          action: "audit_log.exported",
          occurredAt: now,
        });
        await countedActions.settle();
        const ends = await auditChain.chain(accountId, { runPage });
        const start = await findStart(accountId, ends, request.query.after);
        const stream = Readable.from(readLines(accountId, { runPage, start, ends, exportedAt: now }), {
          objectMode: false,
          highWaterMark: 1,
        });
        request.endsWithRight(stream);
        running.add(stream);
        stream.on("close", () => running.delete(stream));
        return reply.type("application/x-ndjson").send(stream as never); // its lines are what the schema describes
      },
    });
  };

  /** The head that the export continues: that of the entry `after`, or of the last one that was removed. */
  async function findStart(
    accountId: AccountId,
    { head, removed }: AuditLogEnds,
    after: number | undefined,
  ): Promise<AuditHead> {
    const checkpoint = removed ?? (await startAuditLog(accountId));
    const first = { sequence: checkpoint.sequence, hash: checkpoint.hash };
    if (after === undefined || after === first.sequence) return first;
    if (after > head.sequence) throw invalidAfter(`The log ends with entry ${head.sequence}`);
    const [row] = await auditChain.list(accountId, { after: after - 1, until: after, limit: 1 });
    if (row?.hash == null)
      throw invalidAfter(`Entries up to ${first.sequence} were removed for their age, or by an owner`);
    return { sequence: after, hash: row.hash };
  }

  async function* readLines(
    accountId: AccountId,
    { runPage, start, ends: { head, removed }, exportedAt }: AuditExport,
  ): AsyncGenerator<string> {
    yield print({
      ...{ format: auditFormat, organization: accountId, exportedAt, start },
      ...(removed && { removed: describeRemoved(removed) }),
      head,
    });
    let last = start;
    while (last.sequence < head.sequence) {
      const range = { after: last.sequence, until: head.sequence, limit: exportBatch };
      const lines = await runPage(async () => {
        const rows = await auditChain.list(accountId, range);
        return rows.map((row) => {
          const { sequence, hash } = row;
          // The gap stays visible: a check of the log finds it.
          const line = print({ ...toChainedEntry(row, Number(sequence), last.hash), hash });
          last = { sequence: Number(sequence), hash: hash ?? "" };
          return line;
        });
      });
      if (lines.length === 0) return;
      yield lines.join("");
    }
  }
}

interface AuditExport {
  readonly runPage: RunPage;
  readonly start: AuditHead;
  readonly ends: AuditLogEnds;
  readonly exportedAt: number;
}

function invalidAfter(message: string): Problem {
  return new Problem("bad_request", "Invalid request", { details: { after: message } });
}

function print(line: object): string {
  return `${JSON.stringify(line)}\n`;
}
