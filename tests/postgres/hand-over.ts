import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createId } from "@sealpost/wire";
import { createAuthority, startReceiver } from "../../packages/server/src/webhooks/testing/receiver.ts";
import type { ServiceProcess } from "../support/service-process.ts";
import { post } from "./processes.ts";

export interface DeliveryReceiver {
  readonly url: string;
  /** The settings that a service needs to reach it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when each of these submissions has arrived. */
  allArrived(ids: Iterable<string>): Promise<void>;
}

/** A webhook receiver that takes everything. */
export async function startDeliveryReceiver(t: TestContext, folder: string): Promise<DeliveryReceiver> {
  const authority = await createAuthority();
  const file = join(folder, "authority.pem");
  writeFileSync(file, authority.ca);
  const arrived = new Set<string>();
  const progress = new EventTarget();
  const { url } = await startReceiver(t, {
    certificate: authority.good,
    answer: ({ body }, response) => {
      response.writeHead(204).end();
      const { submission } = JSON.parse(body.toString());
      if (submission !== undefined) arrived.add(submission.id);
      progress.dispatchEvent(new Event("arrived"));
    },
  });
  return {
    url,
    environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8", NODE_EXTRA_CA_CERTS: file },
    async allArrived(ids) {
      const wanted = [...ids];
      while (wanted.some((id) => !arrived.has(id))) await once(progress, "arrived");
    },
  };
}

/** Clients behind a load balancer that tries the next service when one does not answer. */
export interface Load {
  readonly accepted: ReadonlySet<string>;
  /** Answers that are neither 201 nor 200, and services that did not answer although they stay. */
  readonly refused: readonly unknown[];
  /** How often a service that is leaving did not answer any more. */
  moved(): number;
  /** Where requests go from now on; with none, clients wait. One that is not `staying` may stop answering. */
  direct(services: readonly ServiceProcess[], staying: readonly ServiceProcess[]): void;
  acceptedMore(more: number): Promise<void>;
  /** The longest time that an accepted request has taken. */
  slowestMilliseconds(): number;
  stop(): Promise<void>;
}

export interface LoadOptions {
  /** A service that is leaving may answer 503, too, as versions up to 2026-11-21 did: a load balancer tries the next. */
  readonly mayLeaveWith503?: boolean;
}

export function startLoad(formId: string, first: ServiceProcess, { mayLeaveWith503 = false }: LoadOptions = {}): Load {
  let [services, staying] = [[first] as readonly ServiceProcess[], [first] as readonly ServiceProcess[]];
  const accepted = new Set<string>();
  const refused: unknown[] = [];
  const progress = new EventTarget();
  let moved = 0;
  let slowest = 0;
  let isOver = false;

  async function send(id: string, start: number): Promise<void> {
    for (let turn = start; refused.length === 0; turn++) {
      const service = services[turn % services.length];
      if (service === undefined) {
        await once(progress, "directed");
        continue;
      }
      const begun = performance.now();
      try {
        const { status, body } = await post(service, formId, { id, keyVersion: 1 });
        // 200: the first time it was stored, and only the answer did not arrive.
        if (status === 201 || status === 200) {
          slowest = Math.max(slowest, performance.now() - begun);
          accepted.add(id);
          return;
        }
        if (status === 503 && mayLeaveWith503 && !staying.includes(service)) moved += 1;
        else refused.push({ status, body });
      } catch (error) {
        if (staying.includes(service)) refused.push(error);
        moved += 1;
      }
    }
  }

  const clients = Array.from({ length: 8 }, async () => {
    for (let turn = 0; !isOver && refused.length === 0; turn++) {
      await send(createId("submission"), turn);
      progress.dispatchEvent(new Event("answered"));
    }
  });
  return {
    accepted,
    refused,
    moved: () => moved,
    slowestMilliseconds: () => slowest,
    direct(next, nextStaying) {
      [services, staying] = [next, nextStaying];
      progress.dispatchEvent(new Event("directed"));
    },
    async acceptedMore(more) {
      const wanted = accepted.size + more;
      while (accepted.size < wanted && refused.length === 0) await once(progress, "answered");
    },
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}
