import { isId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import type { Problem, ProblemCode } from "../problems/problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Why the request was refused, once it was. */
    problemCode: ProblemCode | undefined;
    problemReason: Problem["reason"] | undefined;
  }
}

const everyMilliseconds = 1000;
/** Far above what one second can bring of kinds: then the rest is one. */
const kindsMax = 100;

interface Kind {
  readonly members: object;
  /** Since the last line of this kind. */
  more: number;
  timer: NodeJS.Timeout;
}

/**
 * One line per request, by an allow-list (docs/operation.md): never a path, query, header, body, address or user agent. The
 * route is its pattern; of the path only the form's id is logged, and only if it can be one, so that nobody
 * writes words of theirs into the log. Refusals of strangers, who can cause any number, are summed: the first of a kind is written
 * at once, more of them once a second as a count.
 */
export function installRequestLog(app: FastifyInstance): void {
  app.decorateRequest("problemCode", undefined);
  app.decorateRequest("problemReason", undefined);
  const recent = new Map<string, Kind>();
  app.addHook("onResponse", (request, reply, done) => {
    const { form_id: form } = (request.params ?? {}) as { readonly form_id?: unknown }; // what a route's pattern names
    const kind = {
      method: request.method,
      route: request.routeOptions.url ?? "unknown",
      status: reply.statusCode,
      error: request.problemCode,
      reason: request.problemReason,
    };
    const account = request.principal?.accountId;
    if (reply.statusCode < 400 || account !== undefined || isFirst(kind))
      request.log.info(
        {
          ...kind,
          milliseconds: Math.round(reply.elapsedTime),
          account,
          form: isId("form", form) ? form : undefined,
        },
        "request",
      );
    done();
  });
  app.addHook("onClose", async () => {
    for (const kind of recent.values()) {
      clearTimeout(kind.timer);
      writeMore(kind);
    }
    recent.clear();
  });

  function isFirst(members: object): boolean {
    const exact = JSON.stringify(members);
    const key = recent.has(exact) || recent.size < kindsMax ? exact : "others";
    const known = recent.get(key);
    if (known !== undefined) {
      known.more += 1;
      return false;
    }
    const timer = setTimeout(pass, everyMilliseconds, key).unref();
    recent.set(key, { members: key === exact ? members : {}, more: 0, timer });
    return true;
  }

  function pass(key: string): void {
    const kind = recent.get(key);
    if (kind === undefined) return;
    if (kind.more === 0) {
      recent.delete(key);
      return;
    }
    writeMore(kind);
    kind.timer = setTimeout(pass, everyMilliseconds, key).unref();
  }

  function writeMore(kind: Kind): void {
    if (kind.more > 0) app.log.info({ ...kind.members, more: kind.more }, "requests");
    kind.more = 0;
  }
}
