import assert from "node:assert/strict";
import { request as sendRequest } from "node:http";
import { test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { startService } from "../service.ts";
import { closeAtEnd, createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onEither } from "../testing/test-database.ts";
import { systemClock } from "../time/clock.ts";

/** Media types that browsers and programs ask for. */
const accepts = ["text/html,application/xhtml+xml,*/*;q=0.8", "application/json", "*/*"];

/** Addresses that have no route, one of each kind that is answered in a way of its own. */
const nowhere = [
  "/nowhere",
  "/forms/",
  "/%zz",
  "/%E0%A4%A",
  `/${"a".repeat(9_000)}`,
  "/api/nowhere",
  "/api/%zz",
  "/assets/nowhere.js",
  "/embed/nowhere.js",
  "/docs/nowhere",
  "/f/form_nowhere",
  "/f/form_nowhere/nowhere",
  "/health/nowhere",
  "/metrics/nowhere",
];

/** Not `fetch`, which repairs addresses. */
function ask(port: number, method: string, path: string, accept: string): Promise<number> {
  return new Promise((resolve, reject) => {
    sendRequest({ port, host: "127.0.0.1", method, path, headers: { accept } }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    })
      .once("error", reject)
      .end();
  });
}

test("a stranger's request that leads nowhere is no warning in the log, whatever it asks for", onEither, async (t) => {
  const lines: string[] = [];
  const config = parseConfig({
    SEALPOST_PORT: "0",
    SEALPOST_DATA: createTemporaryFolder(t),
    SEALPOST_LOG_LEVEL: "warn",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_API_RATE: "0",
  });
  const output = { write: (text: string) => void lines.push(text), dropped: () => 0 };
  const service = await startService({ config, clock: systemClock, signInRate: 0, output });
  closeAtEnd(t, () => service.stop());
  const port = Number(new URL(service.url).port);
  const { paths = {} } = service.app.swagger() as { paths?: Record<string, object> }; // its own document
  const addresses = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, "nothing"));
  assert.ok(addresses.length > 80, "a control: every address of the interface");
  lines.length = 0;
  for (const path of [...nowhere, ...addresses])
    for (const accept of accepts)
      for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
        const status = await ask(port, method, path, accept);
        assert.ok(status < 500, `${method} ${path}: ${status}`);
        assert.deepEqual(lines.splice(0), [], `${method} ${path.slice(0, 100)} as ${accept}`);
      }
});
