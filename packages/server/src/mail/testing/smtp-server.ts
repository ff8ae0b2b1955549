import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { closeAtEnd, type TestScope } from "../../testing/temporary-folder.ts";
import type { Certificate } from "../../webhooks/testing/receiver.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header fields by their lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** Every byte that came, as text. */
  readonly raw: string;
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
}

export interface SmtpServerOptions {
  /** `implicit` and `starttls` need a certificate. */
  readonly tls?: "implicit" | "starttls" | "off";
  readonly certificate?: Certificate;
  readonly login?: { readonly user: string; readonly password: string };
  /** The server's refusals of emails; used in turn, the last for all that follow. */
  readonly refusals?: readonly (number | undefined)[];
  /** Asked at each step of a message; a number refuses it, `drop` breaks the connection. */
  readonly refuse?: (asked: AskedStep) => number | "drop" | undefined;
  /** How long `next` waits. */
  readonly waitMilliseconds?: number;
}

export const smtpSteps = ["MAIL", "RCPT", "DATA"] as const;
export type SmtpStep = (typeof smtpSteps)[number];

export interface AskedStep {
  readonly step: SmtpStep;
  /** The recipient, and at DATA all of them that were taken. None at MAIL. */
  readonly to: readonly string[];
}

export interface TestSmtpServer {
  readonly port: number;
  readonly emails: readonly ReceivedMail[];
  /** How many connections were opened. */
  readonly connections: () => number;
  /** The next mail that was not handed out yet. Fails when none comes in time, and says what was awaited. */
  next(awaited?: string): Promise<ReceivedMail>;
}

/** The library's own, which it does not declare. */
interface OpenConnection {
  readonly id: string;
  readonly _socket: { destroy(): void };
}

/** A test that waits in vain ends with a sentence. Far longer than any mail takes on a machine that is busy. */
const defaultWaitMilliseconds = 60_000;

/** A real mail server on loopback. */
export async function startSmtpServer(t: TestScope, options: SmtpServerOptions = {}): Promise<TestSmtpServer> {
  const {
    tls = "off",
    certificate,
    login,
    refusals = [],
    refuse,
    waitMilliseconds = defaultWaitMilliseconds,
  } = options;
  const emails: ReceivedMail[] = [];
  const waiting: ((mail: ReceivedMail) => void)[] = [];
  const ready: ReceivedMail[] = [];
  let connections = 0;
  let tried = 0;
  /** Whether the message may continue: otherwise it was answered, or its connection is gone. */
  function mayContinue(asked: AskedStep, sessionId: string, callback: (error: Error) => void): boolean {
    const refusal = refuse?.(asked);
    if (refusal === "drop")
      for (const connection of server.connections as ReadonlySet<OpenConnection>)
        if (connection.id === sessionId) connection._socket.destroy();
    if (typeof refusal === "number") callback(Object.assign(new Error("refused"), { responseCode: refusal }));
    return refusal === undefined;
  }
  const server = new SMTPServer({
    ...certificate,
    secure: tls === "implicit",
    disabledCommands: tls === "starttls" ? [] : ["STARTTLS"],
    authOptional: login === undefined,
    disableReverseLookup: true,
    logger: false,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onAuth(auth, _session, callback) {
      const isRight = auth.username === login?.user && auth.password === login?.password;
      if (isRight) callback(null, { user: auth.username ?? "" });
      else callback(new Error("wrong"));
    },
    onMailFrom(_address, session, callback) {
      if (mayContinue({ step: "MAIL", to: [] }, session.id, callback)) callback();
    },
    onRcptTo({ address }, session, callback) {
      if (mayContinue({ step: "RCPT", to: [address] }, session.id, callback)) callback();
    },
    onData(stream, session, callback) {
      void text(stream).then((raw) => {
        const refusal = refusals[Math.min(tried++, refusals.length - 1)];
        if (refusal !== undefined) {
          callback(Object.assign(new Error("refused"), { responseCode: refusal }));
          return;
        }
        // Before the answer, with which the session begins a new one.
        const { mailFrom, rcptTo } = session.envelope;
        const asked = { step: "DATA", to: rcptTo.map(({ address }) => address) } as const;
        if (!mayContinue(asked, session.id, callback)) return;
        const mail = {
          ...parseMessage(raw),
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          raw,
          isEncrypted: session.secure,
          user: typeof session.user === "string" ? session.user : undefined,
        };
        callback();
        emails.push(mail);
        const take = waiting.shift();
        if (take === undefined) ready.push(mail);
        else take(mail);
      });
    },
  });
  // A client that does not trust us hangs up: that is what some tests are about.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  closeAtEnd(t, () => new Promise<void>((resolve) => server.close(resolve)));
  return {
    port: (server.server.address() as AddressInfo).port, // listens on a port, not on a pipe
    emails,
    connections: () => connections,
    async next(awaited = "a mail") {
      const mail = ready.shift();
      if (mail !== undefined) return mail;
      const { promise, resolve, reject } = Promise.withResolvers<ReceivedMail>();
      waiting.push(resolve);
      const waited = `${waitMilliseconds / 1000} s`;
      const came = `${emails.length} came before, after ${connections} connections`;
      const limit = setTimeout(() => {
        waiting.splice(waiting.indexOf(resolve), 1);
        reject(new Error(`Waited ${waited} for ${awaited}, and none came (${came})`));
      }, waitMilliseconds);
      return promise.finally(() => clearTimeout(limit));
    },
  };
}

function parseMessage(raw: string): Pick<ReceivedMail, "headers" | "text"> {
  const end = raw.indexOf("\r\n\r\n");
  const fields = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  const body = raw.slice(end + 4).replaceAll("\r\n", "\n");
  const isQuoted = headers.get("content-transfer-encoding") === "quoted-printable";
  return { headers, text: isQuoted ? decodeQuoted(body) : body };
}

function decodeQuoted(text: string): string {
  const bytes = text
    .replaceAll("=\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
