import type { FastifyRequest } from "fastify";
import type { Form } from "../forms/form.ts";
import { type AwaitedAnswer, untilGone } from "../http/gone.ts";
import { Problem } from "../problems/problem.ts";
import { toNestedNetworks } from "../rate-limits/client-address.ts";
import { createFairQueue } from "../rate-limits/fair-queue.ts";
import { findFieldsError } from "../submissions/submission.ts";
import { pieceBytes } from "./encodings.ts";
import { readFormEntries } from "./form-entries.ts";
import { type HtmlForm, parseHtmlForm } from "./html-form.ts";

const noFiles = "Not sent: this form cannot take files";
const malformed = "Not sent: the form could not be read";
const trapped = "Not sent: the field _gotcha has to stay empty";
const withoutAnswers = "Not sent: all fields of this form have names that begin with an underscore";
const tooManyFields = "Not sent: this form has too many fields";

/** Each waiting one is at most 1 MiB, and some milliseconds' work. */
const queueOptions = {
  runningMax: 1,
  waitingMax: 64,
  waitingMaxOfOne: 8,
  message: "Too many requests. Please try again later.",
  retrySeconds: 10,
} as const;

export type PostedForm = Pick<FastifyRequest, "body" | "headers" | "ip">;

/** Reads a posted form. Long ones wait for each other in a line (`FairLine`), which nobody keeps others out of; who has left waits no longer. */
export function createReadHtmlForm() {
  const queue = createFairQueue(queueOptions);

  return async (
    { body, headers, ip }: PostedForm,
    form: Pick<Form, "accountId" | "id">,
    answer?: AwaitedAnswer,
  ): Promise<HtmlForm> => {
    const contentType = headers["content-type"];
    if (!Buffer.isBuffer(body) || contentType === undefined) throw new Problem("bad_request", malformed);
    if (body.length <= pieceBytes) return readBody(body, contentType);
    const asker = { accountId: form.accountId, personId: undefined };
    const about = { part: form.id, networks: toNestedNetworks(ip), size: body.length };
    return untilGone(answer, (gone) => queue.run(asker, () => readBody(body, contentType), { ...about, gone }));
  };
}

async function readBody(body: Buffer, contentType: string): Promise<HtmlForm> {
  const entries = await readFormEntries(body, contentType).catch((cause: unknown) => {
    throw new Problem("bad_request", malformed, { cause });
  });
  const posted = entries === undefined ? "too_many" : parseHtmlForm(entries);
  if (posted === "file") throw new Problem("bad_request", noFiles);
  if (posted === "trapped") throw new Problem("bad_request", trapped);
  if (posted === "no_answers") throw new Problem("bad_request", withoutAnswers);
  if (posted === "too_many") throw new Problem("bad_request", tooManyFields);
  if (findFieldsError(posted.fields) !== undefined) throw new Problem("bad_request", malformed);
  return posted;
}
