import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";

/** A POST whose body is on its way: `end` sends the rest of it, and returns the status of the answer. */
export interface OpenRequest {
  end(): Promise<number>;
}

/** Returns when the first half of the body has been handed to the network. */
export async function beginRequest(url: string, path: string, value: unknown): Promise<OpenRequest> {
  const body = Buffer.from(JSON.stringify(value));
  const half = body.length >> 1;
  const sent: ClientRequest = request(`${url}${path}`, {
    method: "POST",
    agent: false,
    headers: { "content-type": "application/json", "content-length": body.length },
  });
  const answered = once(sent, "response") as Promise<[IncomingMessage]>; // the event's one argument
  answered.catch(() => {}); // `end` says so
  await new Promise<void>((resolve, reject) => {
    sent.once("error", reject);
    sent.write(body.subarray(0, half), () => resolve());
  });
  return {
    async end() {
      sent.end(body.subarray(half));
      const [answer] = await answered;
      answer.resume();
      return answer.statusCode ?? 0;
    },
  };
}
