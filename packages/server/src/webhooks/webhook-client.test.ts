import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { before, describe, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import corpus from "./address-corpus.json" with { type: "json" };
import { type Authority, createAuthority, type Receiver, startReceiver } from "./testing/receiver.ts";
import { createWebhookClient, type SendOptions } from "./webhook-client.ts";
import { createFindTarget, type Resolve } from "./webhook-target.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const loopback = [
  { address: "127.0.0.0", bits: 8 },
  { address: "::1", bits: 128 },
];
const body = Buffer.from('{"event":"submission.created"}');
const signal = new AbortController().signal;
const unasked: Resolve = async (name) => assert.fail(`nobody should ask for ${name}`);
/** Short, because every test that hits it waits for all of it. */
const deadlineMilliseconds = 300;

function createClient(t: TestContext, { resolve = unasked, opened = loopback, ca = authority.ca } = {}) {
  const client = createWebhookClient({ findTarget: createFindTarget(opened, resolve), ca });
  t.after(() => client.close());
  return (url: string, options: Partial<SendOptions> = {}) =>
    client.send({ url, headers: { "content-type": "application/json" }, body }, { signal, ...options });
}

const responded = (statusCode: number, more = {}) => ({
  kind: "responded",
  statusCode,
  retryAfter: undefined,
  location: undefined,
  ...more,
});
const unanswered = (error: string) => ({ kind: "unanswered", error });

/** Resolves when a client in this process has read the headers of the next answer. */
function nextHeaders(): Promise<void> {
  return new Promise((resolve) => {
    const read = () => {
      unsubscribe("http.client.response.finish", read);
      resolve();
    };
    subscribe("http.client.response.finish", read);
  });
}

/** A receiver that writes `bytes` as its whole answer once something came in, then closes by default. */
function startRaw(t: TestContext, bytes: string | Buffer, { close = true } = {}): Promise<Receiver> {
  return startReceiver(t, {
    certificate: authority.good,
    onConnection: (socket) =>
      socket.once("data", () => {
        socket.write(bytes);
        if (close) socket.end();
      }),
  });
}

describe("what is sent", () => {
  test("the exact bytes are sent as POST, on a connection that is used again", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    const send = createClient(t);
    for (let count = 0; count < 3; count++) assert.deepEqual(await send(`${receiver.url}?a=1`), responded(204));
    assert.equal(receiver.connections(), 1);
    for (const request of receiver.requests) {
      assert.equal(request.method, "POST");
      assert.equal(request.path, "/hook?a=1");
      assert.deepEqual(request.body, body);
      assert.deepEqual(Object.keys(request.headers).sort(), ["connection", "content-length", "content-type", "host"]);
    }
  });

  test("a request to a name has SNI, its certificate is checked, and its addresses are asked for once", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    const asked: string[] = [];
    const send = createClient(t, {
      resolve: async (name) => {
        asked.push(name);
        return ["127.0.0.1"];
      },
    });
    for (const host of ["receiver.example", "receiver.example.", "RECEIVER.example"])
      assert.deepEqual(await send(`https://${host}:${receiver.port}/`), responded(204));
    assert.deepEqual(asked, ["receiver.example", "receiver.example", "receiver.example"]);
  });

  test("localhost and an IPv6 address are reached when their networks are opened", async (t) => {
    const send = createClient(t);
    const v4 = await startReceiver(t, { certificate: authority.good });
    const v6 = await startReceiver(t, { certificate: authority.good, host: "::1" });
    assert.deepEqual(await send(`https://localhost:${v4.port}/`), responded(204));
    assert.deepEqual(await send(v6.url), responded(204));
  });
});

describe("every status", () => {
  test("the answer is returned unchanged, and no redirect is followed", async (t) => {
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: ({ path }, response) =>
        response.writeHead(Number(path.slice(1)), { location: "/elsewhere", "retry-after": "7" }).end("body"),
    });
    const send = createClient(t);
    for (const status of [
      200, 201, 204, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599,
    ]) {
      const outcome = await send(`https://127.0.0.1:${receiver.port}/${status}`);
      assert.deepEqual(outcome, responded(status, { location: "/elsewhere", retryAfter: "7" }));
    }
    assert.ok(receiver.requests.every(({ path, method }) => path !== "/elsewhere" && method === "POST"));
  });

  test("a Location in UTF-8 keeps its letters", async (t) => {
    const receiver = await startRaw(t, "HTTP/1.1 302 Found\r\nLocation: /zoë\r\nContent-Length: 0\r\n\r\n");
    assert.deepEqual(await createClient(t)(receiver.url), responded(302, { location: "/zoë" }));
  });
});

describe("a connection that the receiver closed while it was idle", () => {
  /** Answers the first request on a connection, and treats the next one on it as `second` says. */
  function startClosing(t: TestContext, second: (socket: Socket) => void) {
    return startReceiver(t, {
      certificate: authority.good,
      onConnection: (socket) => {
        let count = 0;
        socket.on("data", () => {
          count += 1;
          if (count === 1) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
          else second(socket);
        });
      },
    });
  }

  test("a connection that the receiver closed while it was idle is reported as such, and a fresh connection is used when it is asked for", async (t) => {
    const receiver = await startClosing(t, (socket) => socket.destroy());
    const send = createClient(t);
    assert.deepEqual(await send(receiver.url), responded(204));
    assert.deepEqual(await send(receiver.url), { kind: "kept_connection_closed" });
    assert.equal(receiver.connections(), 1);
    assert.deepEqual(await send(receiver.url, { isFresh: true }), responded(204));
    assert.deepEqual(await send(receiver.url, { isFresh: true }), responded(204));
    assert.equal(receiver.connections(), 3);
  });

  test("after a single byte of an answer is no answer: nobody knows what the receiver did", async (t) => {
    const receiver = await startClosing(t, (socket) => socket.write("H", () => socket.destroy()));
    const send = createClient(t);
    assert.deepEqual(await send(receiver.url), responded(204));
    assert.equal((await send(receiver.url)).kind, "unanswered");
    assert.equal(receiver.connections(), 1);
  });

  test("a fresh connection that is closed without an answer says so, once TLS stands", async (t) => {
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      onConnection: (socket) => socket.once("data", () => socket.destroy()),
    });
    assert.deepEqual(await createClient(t)(receiver.url), unanswered("connection_closed"));
    assert.equal(receiver.connections(), 1);
  });
});

describe("hostile answers end within the deadline", () => {
  test("a receiver that never answers is given up within the deadline", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good, answer: () => {} });
    assert.deepEqual(await createClient(t)(receiver.url, { deadlineMilliseconds }), unanswered("timed_out"));
  });

  test("a TLS handshake that never ends is given up within the deadline", async (t) => {
    const server = createServer(() => {}).listen(0, "127.0.0.1");
    await once(server, "listening");
    const open: Socket[] = [];
    server.on("connection", (socket) => open.push(socket));
    t.after(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const { port } = server.address() as { port: number }; // listening on TCP
    const outcome = await createClient(t)(`https://127.0.0.1:${port}/`, { deadlineMilliseconds });
    assert.deepEqual(outcome, unanswered("timed_out"));
  });

  test("a 2xx whose body drips past the deadline: not successful; a 404 whose body drips: a 404", async (t) => {
    // The deadline passes when the headers are here, however long these take.
    t.mock.timers.enable({ apis: ["setTimeout"] });
    for (const [status, expected] of [
      [200, unanswered("timed_out")],
      [404, responded(404)],
    ] as const) {
      const receiver = await startReceiver(t, {
        certificate: authority.good,
        answer: (_request, response) => {
          response.writeHead(status);
          const drip = setInterval(() => response.write("."), 20);
          response.on("close", () => clearInterval(drip));
        },
      });
      const headersRead = nextHeaders();
      const outcome = createClient(t)(receiver.url, { deadlineMilliseconds });
      await headersRead;
      t.mock.timers.tick(deadlineMilliseconds);
      assert.deepEqual(await outcome, expected);
    }
  });

  test("headers that drip are given up within the deadline", async (t) => {
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      onConnection: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const drip = setInterval(() => socket.write("X-A: b\r\n"), 20);
        socket.on("close", () => clearInterval(drip));
      },
    });
    assert.deepEqual(await createClient(t)(receiver.url, { deadlineMilliseconds }), unanswered("timed_out"));
  });

  test("a body without end: read to 64 KiB, counted as the answer that it is, and cut off", async (t) => {
    let written = 0;
    const closed = Promise.withResolvers<void>();
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => {
        const chunk = Buffer.alloc(16 * 1024, "x");
        const write = () => {
          while (!response.destroyed) {
            written += chunk.length;
            if (!response.write(chunk)) break;
          }
        };
        response.writeHead(200).on("drain", write).on("close", closed.resolve);
        write();
      },
    });
    assert.deepEqual(await createClient(t)(receiver.url), responded(200));
    await closed.promise;
    // The bytes in the sockets' buffers, and no more.
    assert.ok(written < 16 * 1024 * 1024, `${written} bytes`);
  });

  test("a gzip bomb is counted as it came and never unpacked", async (t) => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    });
    assert.deepEqual(await createClient(t)(receiver.url), responded(200));
  });

  test("the status decides, whatever becomes of the rest of the answer; headers that end early have none", async (t) => {
    for (const status of [200, 204, 299, 302, 404, 503])
      for (const rest of [
        "Content-Length: 100\r\n\r\n",
        "Content-Length: 100\r\n\r\nshort",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nsho",
        "Transfer-Encoding: chunked\r\n\r\nnot a length",
      ]) {
        const receiver = await startRaw(t, `HTTP/1.1 ${status} OK\r\n${rest}`);
        assert.deepEqual(await createClient(t)(receiver.url), responded(status), `${status} ${rest}`);
      }
    const receiver = await startRaw(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n");
    assert.deepEqual((await createClient(t)(receiver.url)).kind, "unanswered");
  });

  test("bytes after the promised length are not read as another answer", async (t) => {
    const receiver = await startRaw(t, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
    assert.deepEqual(await createClient(t)(receiver.url), responded(500));
  });

  test("headers of more than 16 KiB are a malformed answer", async (t) => {
    const receiver = await startRaw(t, `HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`);
    assert.deepEqual(await createClient(t)(receiver.url), unanswered("malformed_answer"));
  });

  test("a flood of 1xx answers, and a switch of protocols, are malformed answers", async (t) => {
    for (const flood of [
      "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000),
      "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000),
    ]) {
      const receiver = await startRaw(t, flood, { close: false });
      assert.deepEqual(await createClient(t)(receiver.url), unanswered("malformed_answer"));
    }
    const receiver = await startRaw(t, "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", {
      close: false,
    });
    assert.deepEqual(await createClient(t)(receiver.url), unanswered("malformed_answer"));
  });

  test("a few 1xx answers before the real one are fine", async (t) => {
    const receiver = await startRaw(t, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
    assert.deepEqual(await createClient(t)(receiver.url), responded(204));
  });

  test("an answer that is not HTTP is malformed", async (t) => {
    for (const text of ["SSH-2.0-OpenSSH\r\n", "\0\0\0\0\0\0", "HTTP/1.1 2000 OK\r\n\r\n"]) {
      const receiver = await startRaw(t, text);
      assert.deepEqual(await createClient(t)(receiver.url), unanswered("malformed_answer"));
    }
  });

  test("a connection that ends before the first byte, or in the middle of the headers, is a failed attempt", async (t) => {
    for (const text of ["", "HTTP/1.1 200 OK\r\nX-A"]) {
      const receiver = await startRaw(t, text);
      assert.equal((await createClient(t)(receiver.url)).kind, "unanswered");
    }
  });

  test("nobody listening, and a reset while connecting, read alike", async (t) => {
    const server = createServer((socket) => socket.resetAndDestroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number }; // listening on TCP
    const send = createClient(t);
    assert.deepEqual(await send(`https://127.0.0.1:${port}/`), unanswered("could_not_connect"));
    server.close();
    await once(server, "close");
    assert.deepEqual(await send(`https://127.0.0.1:${port}/`), unanswered("could_not_connect"));
  });
});

describe("TLS", () => {
  test("an expired certificate, another name, an unknown authority and no TLS at all get nothing", async (t) => {
    const expired = await startReceiver(t, { certificate: authority.expired });
    const otherName = await startReceiver(t, { certificate: authority.otherName });
    const good = await startReceiver(t, { certificate: authority.good });
    const send = createClient(t);
    assert.deepEqual(await send(expired.url), unanswered("tls_failed"));
    assert.deepEqual(await send(otherName.url), unanswered("tls_failed"));
    const stranger = await createAuthority();
    assert.deepEqual(await createClient(t, { ca: stranger.ca })(good.url), unanswered("tls_failed"));
    const plain = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n")).listen(0, "127.0.0.1");
    await once(plain, "listening");
    t.after(() => plain.close());
    const { port } = plain.address() as { port: number }; // listening on TCP
    assert.deepEqual(await send(`https://127.0.0.1:${port}/`), unanswered("tls_failed"));
    for (const receiver of [expired, otherName, good]) assert.equal(receiver.requests.length, 0);
  });

  test("a name is checked against the certificate, whatever address it has", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    const send = createClient(t, { resolve: async () => ["127.0.0.1"] });
    assert.deepEqual(await send(`https://other.example:${receiver.port}/`), unanswered("tls_failed"));
    assert.equal(receiver.requests.length, 0);
  });
});

describe("forbidden addresses", () => {
  test("no forbidden address of the corpus is ever connected to", async (t) => {
    const send = createClient(t, { opened: [], resolve: async () => ["127.0.0.1"] });
    const refused = Object.values(corpus.hosts).flatMap(({ verdict, values }) => (verdict === "refuse" ? values : []));
    for (const host of refused) assert.deepEqual(await send(`https://${host}/`), { kind: "address_forbidden" }, host);
    for (const url of corpus.refusedUrls) assert.deepEqual(await send(url), { kind: "address_forbidden" }, url);
    for (const name of corpus.namesThatResolveToPrivate)
      assert.deepEqual(await send(`https://${name}/`), { kind: "address_forbidden" }, name);
  });

  test("a listening service on this machine sees no connection at all", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    const send = createClient(t, { opened: [] });
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1"])
      assert.deepEqual(await send(`https://${host}:${receiver.port}/`), { kind: "address_forbidden" });
    assert.equal(receiver.connections(), 0);
    // The control: with the network opened the same request arrives.
    assert.deepEqual(await createClient(t)(receiver.url), responded(204));
  });

  test("a name server that changes its mind between check and connection changes nothing", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    let asked = 0;
    const resolve: Resolve = async () => {
      asked += 1;
      return asked === 1 ? ["127.0.0.1"] : ["169.254.169.254"];
    };
    const send = createClient(t, { resolve });
    const url = `https://receiver.example:${receiver.port}/`;
    assert.deepEqual(await send(url), responded(204));
    assert.equal(asked, 1);
    assert.deepEqual(await send(url), { kind: "address_forbidden" });
    assert.equal(receiver.requests.length, 1);
  });

  test("a mixed answer is refused, a kept connection included", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    let answer = ["127.0.0.1"];
    const send = createClient(t, { resolve: async () => answer });
    const url = `https://receiver.example:${receiver.port}/`;
    assert.deepEqual(await send(url), responded(204));
    answer = ["127.0.0.1", "10.0.0.1"];
    assert.deepEqual(await send(url), { kind: "address_forbidden" });
    assert.equal(receiver.requests.length, 1);
  });
});

describe("name servers", () => {
  test("an error of a name server is no answer, and nothing is connected to", async (t) => {
    const send = createClient(t, { resolve: () => Promise.reject(new Error("SERVFAIL")) });
    assert.deepEqual(await send("https://receiver.example/"), unanswered("name_not_resolved"));
  });

  test("a silent name server ends with the deadline, and the question is cancelled", async (t) => {
    const cancelled = Promise.withResolvers<void>();
    const send = createClient(t, {
      resolve: (_name, question) =>
        new Promise(() => question.addEventListener("abort", () => cancelled.resolve(), { once: true })),
    });
    const outcome = await send("https://receiver.example/", { deadlineMilliseconds: 20 });
    assert.deepEqual(outcome, unanswered("timed_out"));
    await cancelled.promise;
  });

  test("200 names that hang delay nobody else", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    const send = createClient(t, {
      resolve: (name) => (name.startsWith("hanging") ? new Promise(() => {}) : Promise.resolve(["127.0.0.1"])),
    });
    const giveUp = new AbortController();
    let ended = 0;
    const hanging = Array.from({ length: 200 }, async (_, index) => {
      const outcome = await send(`https://hanging${index}.example/`, { signal: giveUp.signal });
      ended += 1;
      return outcome;
    });
    assert.deepEqual(await send(`https://receiver.example:${receiver.port}/`), responded(204));
    assert.equal(ended, 0);
    giveUp.abort();
    for (const outcome of await Promise.all(hanging)) assert.deepEqual(outcome, { kind: "aborted" });
  });
});

describe("giving up", () => {
  test("giving up on a request ends a request in flight at once and closes its connection", async (t) => {
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => {
        response.on("close", closed.resolve);
        arrived.resolve();
      },
    });
    const giveUp = new AbortController();
    const outcome = createClient(t)(receiver.url, { signal: giveUp.signal });
    await arrived.promise;
    giveUp.abort();
    assert.deepEqual(await outcome, { kind: "aborted" });
    await closed.promise;
  });

  test("giving up on a request before the start sends nothing", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    assert.deepEqual(await createClient(t)(receiver.url, { signal: AbortSignal.abort() }), { kind: "aborted" });
    assert.equal(receiver.connections(), 0);
  });
});
