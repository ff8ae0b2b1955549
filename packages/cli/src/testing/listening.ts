import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import type { Fields } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createdSealed } from "../../../sdk/src/testing/delivery.ts";
import { createTemporaryFolder } from "../../../server/src/testing/temporary-folder.ts";
import { createTestService, type TestService } from "../../../server/src/testing/test-service.ts";
import { run } from "../run.ts";

export const pair = takeKeyPair();

/** A form on a real service. */
export async function createForm(
  t: TestContext,
  settings: object = {},
  options: Parameters<typeof createTestService>[1] = {},
) {
  const service = await createTestService(t, options);
  const account = await service.signUp();
  const body = { name: "Kontakt – Zoë", publicKey: pair.publicKey, settings };
  const { form } = (await account.request("POST", "/api/forms", body)).body;
  const formId: `form_${string}` = form.id;
  return { service, account, formId, submit: (fields: Fields) => submit(service, formId, fields) };
}

async function submit(service: TestService, formId: `form_${string}`, fields: Fields): Promise<string> {
  const { submission } = await createdSealed(fields, pair, 1, formId);
  const { id, payload, keyVersion } = submission;
  const posted = await service.request("POST", `/api/forms/${formId}/submissions`, {
    body: { id, payload, keyVersion },
  });
  assert.equal(posted.status, 201, JSON.stringify(posted.body));
  return id;
}

/** A stream whose text can be waited for. */
function createTape() {
  let text = "";
  const written = new EventTarget();
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk.toString();
      done();
      written.dispatchEvent(new Event("written"));
    },
  });
  return {
    stream,
    text: () => text,
    lines: () =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    async until(isReached: (text: string) => boolean): Promise<void> {
      while (!isReached(text)) await once(written, "written");
    },
  };
}

/** `sealpost webhooks listen` while it runs. */
export async function listen(t: TestContext, url: string, token: string, parameters: readonly string[]) {
  const folder = createTemporaryFolder(t);
  await writeFile(join(folder, "key.json"), JSON.stringify(pair.privateKey));
  const [output, errors] = [createTape(), createTape()];
  const interruption = new AbortController();
  const context = {
    environment: { XDG_CONFIG_HOME: folder, SEALPOST_URL: url, SEALPOST_TOKEN: token },
    folder,
    input: Readable.from([]),
    output: output.stream,
    errors: errors.stream,
    now: Date.now,
    signal: interruption.signal,
  };
  const ended = run(context, ["webhooks", "listen", "--interval", "0.02", ...parameters], "0.1.0");
  const stop = () => {
    interruption.abort();
    return ended;
  };
  t.after(stop);
  await Promise.race([ended, errors.until((text) => text.includes("Waiting for submissions"))]);
  return {
    output,
    errors,
    ended,
    stop,
    count: (lines: number) => output.until((text) => text.split("\n").length > lines),
  };
}

type Answer = (response: ServerResponse, count: number) => void;

/** A receiver on loopback HTTP. */
export async function startHttpReceiver(
  t: TestContext,
  answer: Answer = (response) => void response.writeHead(204).end(),
) {
  const requests: { readonly headers: IncomingMessage["headers"]; readonly names: string[]; readonly body: Buffer }[] =
    [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const names = incoming.rawHeaders.filter((_, index) => index % 2 === 0);
    requests.push({ headers: incoming.headers, names, body: Buffer.concat(chunks) });
    answer(response, requests.length);
  }).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { url: `http://127.0.0.1:${port}/hook`, port, requests, server };
}
