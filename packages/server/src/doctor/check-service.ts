import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Config } from "../config/config.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const deadlineMilliseconds = 10_000;
const certificateDaysLow = 14;
/** As long as a submission may be, with its JSON around it. */
const longestBody = JSON.stringify({ id: "x".repeat(1_048_500) });

/** Whatever answers at the address: the rest of a longer answer is not read. */
const answerBytesMax = 65_536;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** When the server's certificate ends; `undefined` without TLS. */
  readonly certificateEnds: number | undefined;
}

/** The service on this machine, asked at the address where it listens. */
export async function checkService({ host, port }: Config): Promise<readonly Finding[]> {
  if (port === 0) return [];
  const reachable =
    host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host;
  const url = `http://${reachable}:${port}`;
  try {
    const { status, body } = await ask(`${url}/health/ready`);
    if (status === 200 && isOurs(body)) return [ok("service", `A service is ready at ${url}`)];
    if (status === 503)
      return [
        problem(
          "service",
          `The service at ${url} is not ready`,
          "It is stopping, its database does not answer, or it lacks a secret that others have: look above and in its log",
        ),
      ];
    return [
      problem(
        "service",
        `Something else answers at ${url}`,
        "Stop that program, or give the service another SEALPOST_PORT",
      ),
    ];
  } catch (error) {
    return [warning("service", `No service answers at ${url} (${describe(error)})`, "Start it: sealpost-server")];
  }
}

/** The way that visitors come: name, certificate, proxy. */
export async function checkPublicUrl({ baseUrl }: Config, now: number): Promise<readonly Finding[]> {
  if (baseUrl === undefined) return [];
  let answer: Answer;
  try {
    answer = await ask(`${baseUrl}/health/live`);
  } catch (error) {
    return [problem("public URL", `${baseUrl} does not answer: ${describe(error)}`, remedyFor(error))];
  }
  if (answer.status !== 200 || !isOurs(answer.body))
    return [
      problem(
        "public URL",
        `${baseUrl} answers, but not as this service (status ${answer.status})`,
        "Let the proxy pass every path of this host to the service, and start the service",
      ),
    ];
  return [
    ok("public URL", `${baseUrl} leads to a service`),
    ...checkCertificate(answer.certificateEnds, now),
    ...checkTransport(baseUrl, answer),
    await checkLongBodies(baseUrl),
  ];
}

function checkCertificate(ends: number | undefined, now: number): readonly Finding[] {
  if (ends === undefined) return [];
  const days = Math.floor((ends - now) / dayMilliseconds);
  const message = `The certificate is valid for ${days} days`;
  return days < certificateDaysLow
    ? [warning("public URL", message, "Renew it, and look why that does not happen by itself")]
    : [ok("public URL", message)];
}

function checkTransport(baseUrl: string, { headers }: Answer): readonly Finding[] {
  if (!baseUrl.startsWith("https:") || headers["strict-transport-security"] !== undefined) return [];
  return [
    warning(
      "public URL",
      "Answers come without Strict-Transport-Security: the running service has another SEALPOST_BASE_URL, or the proxy takes headers away",
      "Start the service again with the settings of this command, and let the proxy pass its headers on",
    ),
  ];
}

/** The longest body that the service takes must come through; it is refused there, because no form has that id. */
async function checkLongBodies(baseUrl: string): Promise<Finding> {
  const remedy = "Let the proxy pass bodies of 1 MiB: `client_max_body_size 2m` in nginx, `request_body` in Caddy";
  try {
    const { status, body } = await ask(`${baseUrl}/api/forms/form_doctor/submissions`, longestBody);
    return body.startsWith('{"error":')
      ? ok("proxy", "The longest submission passes")
      : problem("proxy", `The proxy does not let long submissions through (status ${status})`, remedy);
  } catch (error) {
    return problem("proxy", `The proxy does not let long submissions through (${describe(error)})`, remedy);
  }
}

function isOurs(body: string): boolean {
  return /^\{"status":"(live|ready)"\}$/.test(body);
}

async function ask(url: string, body?: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  const request = send(
    url,
    {
      method: body === undefined ? "GET" : "POST",
      signal: AbortSignal.timeout(deadlineMilliseconds),
      agent: false,
      ...(body !== undefined && {
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      }),
    },
    async (response) => {
      // Asked now: once the answer has ended, the connection may be gone.
      const ends = isTls(response.socket) ? Date.parse(response.socket.getPeerCertificate().valid_to) : undefined;
      const chunks: Buffer[] = [];
      let length = 0;
      try {
        for await (const chunk of response as AsyncIterable<Buffer>) {
          chunks.push(chunk);
          length += chunk.length;
          // None of ours is so long. To leave the loop ends the connection.
          if (length > answerBytesMax) break;
        }
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, certificateEnds: ends });
      } catch (error) {
        reject(error);
      }
    },
  );
  request.on("error", reject).end(body);
  return promise;
}

function isTls(socket: object): socket is TLSSocket {
  return "getPeerCertificate" in socket;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function describe(error: unknown): string {
  const code = codeOf(error);
  if (code === "ABORT_ERR" || (error instanceof Error && error.name === "TimeoutError"))
    return "no answer in 10 seconds";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name does not resolve";
  if (code === "ECONNREFUSED") return "the connection is refused";
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "its certificate is for another name";
  if (/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) return "its certificate is signed by nobody known";
  return code === "" ? (error instanceof Error ? error.message : String(error)) : code;
}

function remedyFor(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return "Make a DNS record for the name, or correct SEALPOST_BASE_URL";
  if (/CERT|SIGNED|UNABLE_TO/.test(code))
    return "Give the proxy a valid certificate for this name; Caddy gets one by itself (deploy/Caddyfile)";
  return "Start the reverse proxy, and open its port in the firewall";
}
