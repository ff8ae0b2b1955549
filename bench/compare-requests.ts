/** Two requests in turn, so that other load of the machine meets both; for benchmarks of one service in one process. */
import { Agent, get } from "node:http";
import { performance } from "node:perf_hooks";
import type { TestAccount, TestService } from "../packages/server/src/testing/test-service.ts";
import { median } from "./machine.ts";

/** An address of another service than the first may be whole. */
export type Asked = readonly [account: TestAccount, path: string];

export interface RequestComparison {
  /** Prints a row: what is asked, of which small and large data, both medians in milliseconds, and their ratio. */
  compare(name: string, small: string, first: Asked, large: string, second: Asked): Promise<void>;
  /** Milliseconds from asking to the last byte of the answer. */
  time(asked: Asked): Promise<number>;
  close(): void;
}

const warmUp = 20;

/** Prints the head of the table. */
export function compareRequests(service: TestService, rounds: number): RequestComparison {
  const agent = new Agent({ keepAlive: true });
  console.log("| request | small | large | small, median ms | large, median ms | ratio |");
  console.log("|---|---|---|---|---|---|");

  function time([{ token }, path]: Asked): Promise<number> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      get(new URL(path, service.url), { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.resume().on("end", () => {
          if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
          else resolve(performance.now() - started);
        });
      }).on("error", reject);
    });
  }

  return {
    time,
    async compare(name, small, first, large, second) {
      const times: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds + warmUp; round++) {
        const [a, b] = [await time(first), await time(second)];
        if (round < warmUp) continue; // Until everything is compiled and in the cache.
        times[0].push(a);
        times[1].push(b);
      }
      const [a, b] = [median(times[0]), median(times[1])];
      console.log(`| ${name} | ${small} | ${large} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(b / a).toFixed(2)} |`);
    },
    close: () => agent.destroy(),
  };
}
