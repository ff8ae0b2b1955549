import cluster from "node:cluster";
import { AggregatorRegistry, type Registry } from "prom-client";

const question = "sealpost:metrics";
const waitMilliseconds = 6000;

interface Question {
  readonly type: typeof question;
  readonly id: string;
}
type Answer = Question & ({ readonly text: string } | { readonly error: string });

/**
 * `serve --processes`: a request for metrics reaches any one of the processes, and each counts for itself. That one asks
 * their parent, which asks them all and adds up. For the parent: call it before the first process is started.
 */
export function addUpProcessMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on("message", (worker, message: unknown) => {
    if (!isQuestion(message)) return;
    registry.clusterMetrics().then(
      (text) => worker.send({ ...message, text }),
      (error: unknown) => worker.send({ ...message, error: String(error) }),
    );
  });
}

/** How a process answers for the instance: alone for itself, as one of several by asking the parent. */
export function createCollect(registry: Registry): () => Promise<string> {
  const { worker } = cluster;
  if (worker === undefined) return () => registry.metrics();
  AggregatorRegistry.setRegistries(registry);
  new AggregatorRegistry(); // from now on this process answers the parent
  const waiting = new Map<string, (answer: Answer) => void>();
  worker.on("message", (message: unknown) => {
    if (isQuestion(message)) waiting.get(message.id)?.(message as Answer); // the parent sends no other of this type
  });
  return async () => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const id = crypto.randomUUID();
    const timer = setTimeout(() => reject(new Error("The other processes did not answer")), waitMilliseconds);
    waiting.set(id, resolve);
    try {
      worker.send({ type: question, id } satisfies Question);
      const answer = await promise;
      if ("error" in answer) throw new Error(answer.error);
      return answer.text;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  };
}

function isQuestion(message: unknown): message is Question {
  return typeof message === "object" && message !== null && "type" in message && message.type === question;
}
