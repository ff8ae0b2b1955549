import { connect } from "node:tls";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { describeForbidden, findStoredForbidden } from "../deliveries/forbidden-addresses.ts";
import { createFindTarget, type FindTarget } from "../webhooks/webhook-target.ts";
import { hostnameOf, parseWebhookUrl } from "../webhooks/webhook-url.ts";
import { describe } from "./check-service.ts";
import { type Finding, ok, problem } from "./finding.ts";

const deadlineMilliseconds = 10_000;

/** The way to a receiver as deliveries go it, up to a connection with a valid certificate. No request is sent. */
export async function checkWebhook(text: string, { webhookAllowNetworks }: Config): Promise<readonly Finding[]> {
  const url = parseWebhookUrl(text);
  if (typeof url === "string")
    return [problem("webhook", `${JSON.stringify(text)}: ${url}`, "Write it like https://example.com/hook")];
  const host = hostnameOf(url);
  const target = await createFindTarget(webhookAllowNetworks)(url, AbortSignal.timeout(deadlineMilliseconds));
  if (target.kind === "unresolved")
    return [
      problem(
        "webhook",
        `The name ${host} does not resolve`,
        "Make a DNS record for it; names in /etc/hosts do not count",
      ),
    ];
  if (target.kind === "forbidden")
    return [
      problem(
        "webhook",
        `${host} is at a private, local or reserved address`,
        "If the receiver is yours, open its network by SEALPOST_WEBHOOK_ALLOW_NETWORKS, like 10.1.2.3/32",
      ),
    ];
  return weighAddresses(await Promise.all(target.addresses.map((address) => checkAddress(address, url))));
}

/** The addresses that forms have, by the networks that are open: names are resolved, nothing is sent. Forms are named by their ids. */
export async function checkStoredWebhooks(database: Database, findTarget: FindTarget): Promise<Finding> {
  const forbidden = await findStoredForbidden(database, findTarget, new AbortController().signal);
  return forbidden.length === 0
    ? ok("webhook", "The address of every webhook is allowed, as far as its name resolves")
    : problem(
        "webhook",
        `The webhook addresses of ${describeForbidden(forbidden)}`,
        "If the receivers are yours, open their networks by SEALPOST_WEBHOOK_ALLOW_NETWORKS, like 10.1.2.3/32, and start again",
      );
}

/** A delivery tries one address after the other until it has a connection: where one of them works, the others are warnings. */
export function weighAddresses(findings: readonly Finding[]): readonly Finding[] {
  const isReached = findings.some(({ level }) => level === "ok");
  return findings.map((finding) =>
    isReached && finding.level === "problem" ? { ...finding, level: "warning" } : finding,
  );
}

async function checkAddress(address: string, url: URL): Promise<Finding> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const host = hostnameOf(url);
  const port = Number(url.port || 443);
  const isName = !/^[\d.]+$|:/.test(host);
  const socket = connect({ host: address, port, ...(isName && { servername: host }), timeout: deadlineMilliseconds });
  socket.once("secureConnect", resolve).once("error", reject);
  socket.once("timeout", () => reject(new Error("no answer in 10 seconds")));
  try {
    await promise;
    return ok("webhook", `${host} takes connections at ${address} port ${port}, with a valid certificate`);
  } catch (error) {
    return problem(
      "webhook",
      `${host} cannot be reached at ${address} port ${port}: ${describe(error)}`,
      "Start the receiver, open its port, and give it a certificate that others trust (NODE_EXTRA_CA_CERTS names an authority of your own)",
    );
  } finally {
    socket.destroy();
  }
}
