import { setImmediate } from "node:timers/promises";
import type { WorkerAnswer, WorkerQuestions } from "../database/worker-questions.ts";
import { createWorkers } from "../database/workers.ts";

/** Forms are named for their workers: `a/1` is on `a`. */
export const workerOf = (formId: string) => formId.slice(0, formId.indexOf("/"));

/**
 * A cluster without servers, for what a process makes of what the coordinator says: of its workers, `true` answers and `false`
 * does not. The statements themselves are tested on a real one (`npm run test:citus`).
 */
export function createFakeCluster(nodes: Record<string, boolean>) {
  const asked: (readonly string[] | "all")[] = [];
  const logged: string[] = [];
  const state = {
    nodes: new Map(Object.entries(nodes)),
    forms: ["a/1", "b/1", "c/1"] as readonly string[],
    time: 0,
    recoveries: 0,
    isThere: true,
    /** Called before the forms are given. */
    beforeForms: async () => {},
  };
  const questions: WorkerQuestions = {
    async ask(names): Promise<readonly WorkerAnswer[]> {
      asked.push(names ?? "all");
      if (!state.isThere) throw new Error("the coordinator does not answer");
      return [...state.nodes]
        .filter(([name]) => names?.includes(name) ?? true)
        .map(([name, answers]) => ({ name, answers }));
    },
    async recover() {
      state.recoveries += 1;
    },
    findPlaces: async (formIds) => new Map(formIds.map((id) => [id, workerOf(id)])),
    async listWebhookForms() {
      const { forms } = state;
      await state.beforeForms();
      return forms;
    },
  };
  const workers = createWorkers(questions, () => state.time);
  workers.logTo({ warn: (line) => logged.push(line), error: (line) => logged.push(line) });
  /** As a batch does: it fails if one of its forms is on a worker that is away. */
  const work = async (formIds: readonly string[]) => {
    if (formIds.some((id) => state.nodes.get(workerOf(id)) === false)) throw new Error("no connection");
    return formIds;
  };
  const run = async (...formIds: readonly string[]) => (await workers.withReachable(formIds, (id) => id, work)).result;
  /** Something is done at this time, and the questions that it begins have been answered. */
  const runAt = async (time: number) => {
    state.time = time;
    await run("a/1");
    await setImmediate();
  };
  return { state, workers, asked, logged, work, run, runAt };
}
