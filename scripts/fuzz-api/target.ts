import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@sealpost/sdk";
import { parseConfig } from "../../packages/server/src/config/config.ts";
import { startService } from "../../packages/server/src/service.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import type { FreshInstance } from "../../tests/support/sign-up.ts";
import { createCertificate } from "../demo/certificate.ts";
import { createContent, type Known } from "./content.ts";

/** A service with content, and what a client needs to know of it. */
export interface Target {
  readonly url: string;
  /** The account that everything belongs to, and another that must see nothing of it. */
  readonly owner: Credentials;
  readonly stranger: Credentials;
  readonly known: Known;
  stop(): Promise<void>;
}

export interface Credentials {
  readonly sessionToken: string;
  /** With all permissions. */
  readonly apiKey: string;
}

/** Starts a service on a temporary folder whose forms post their events to a receiver next to it. Nothing leaves the machine. */
export async function startTarget(): Promise<Target> {
  const certificate = await createCertificate();
  const receiver = createServer(certificate, (request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "localhost", resolve));
  const { port } = receiver.address() as AddressInfo; // it listens on TCP
  const folder = mkdtempSync(join(tmpdir(), "sealpost-fuzz-"));
  const service = await startService({
    config: parseConfig({
      SEALPOST_DATA: folder,
      SEALPOST_PORT: "0",
      SEALPOST_LOG_LEVEL: "error",
      SEALPOST_SIGNUP: "open",
      SEALPOST_DEFAULT_PLAN: "enterprise", // any number of API keys
      SEALPOST_API_RATE: "0",
      SEALPOST_SUBMIT_RATE: "0",
      SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128",
    }),
    clock: systemClock,
    apiKeyRate: 0,
    // Generated URLs may name real hosts, which we must not contact.
    deliveries: { ca: certificate.cert, resolve: () => Promise.reject(new Error("no such name")) },
  });
  const owner = await createAccount(service, "owner@example.com");
  const stranger = await createAccount(service, "stranger@example.com");
  return {
    url: service.url,
    owner,
    stranger,
    known: await createContent(service.url, owner.sessionToken, `https://localhost:${port}/`),
    async stop() {
      await service.stop();
      receiver.closeAllConnections();
      receiver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function createAccount({ url, setupToken }: FreshInstance, email: string): Promise<Credentials> {
  const created = await fetch(`${url}/api/auth/sign-up/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Person", email, password: "correct horse battery", setupToken }),
  });
  const cookie = created.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await fetch(`${url}/api/auth/token`, { headers: { cookie, "sec-fetch-site": "same-origin" } });
  const { token } = (await issued.json()) as { token: string }; // or the next line fails
  const { key } = await createClient({ baseUrl: url, token }).apiKeys.create({ name: "Fuzzing" });
  return { sessionToken: token, apiKey: key.key };
}
