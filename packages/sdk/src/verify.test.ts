import assert from "node:assert/strict";
import { test } from "node:test";
import { createWebhookSecret, signService, toleranceSeconds, verifyService } from "@sealpost/wire";
import { Webhook } from "standardwebhooks";
import { now, secret, sign } from "./testing/delivery.ts";
import { verify } from "./verify.ts";

const body = { event: "submission.deleted" };
const seconds = Math.floor(now / 1000);

async function reasonFor(headers: unknown, text: unknown, secrets = [secret], at = now): Promise<string> {
  // Deliberately outside the types: this is what a stranger, or a framework, may hand over.
  const result = await verify(secrets, { headers: headers as Headers, body: text as string }, at);
  return result.verified ? "verified" : result.reason;
}

const published = [
  {
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  {
    secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    id: "dlv_01hk153x00e5rbcwg8rxcnh8w6",
    timestamp: 1704067200,
    body: '{"event":"submission.deleted","timestamp":1704067200000,"form":{"id":"form_01hk153x00e5rbcwg8rxcnh8w4","name":"Kontakt – Zoë"},"submission":{"id":"sub_01hk153x00e5rbcwg8rxcnh8w5"}}',
    signature: "v1,VAh9JKg8fdio6mc45HclcUrbSDaxpwQVAOeDUKoSSsI=",
  },
];
for (const vector of published) {
  test(`the published signature of ${vector.id} is accepted`, async () => {
    const headers = {
      "webhook-id": vector.id,
      "webhook-timestamp": String(vector.timestamp),
      "webhook-signature": vector.signature,
    };
    assert.equal(await reasonFor(headers, vector.body, [vector.secret], vector.timestamp * 1000), "verified");
  });
}

test("a request signed by the reference library of Standard Webhooks is accepted", async () => {
  const text = JSON.stringify(body);
  const signature = new Webhook(secret).sign("msg_1", new Date(now), text);
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(seconds), "webhook-signature": signature };
  assert.equal(await reasonFor(headers, text), "verified");
});

test("the raw body may be text, bytes, a view into a larger buffer or an ArrayBuffer", async () => {
  const { headers, body: text } = await sign({ ...body, name: "Zoë 😀" });
  const bytes = new TextEncoder().encode(text);
  const larger = new Uint8Array(bytes.length + 20);
  larger.set(bytes, 7);
  for (const raw of [text, bytes, larger.subarray(7, 7 + bytes.length), bytes.buffer, Buffer.from(text)])
    assert.equal(await reasonFor(headers, raw), "verified");
});

test("one valid signature among several is enough, in any place", async () => {
  const { headers, body: text } = await sign(body);
  const good = headers["webhook-signature"];
  for (const several of [`v1,bad v2,x ${good}`, `${good} v1,bad`, `v1a,${"A".repeat(86)}== ${good}`])
    assert.equal(await reasonFor({ ...headers, "webhook-signature": several }, text), "verified");
});

test("during a rotation either secret verifies, and a third does not", async () => {
  const next = createWebhookSecret();
  const both = await sign(body, { secrets: [secret, next] });
  for (const known of [[secret], [next], [next, secret]])
    assert.equal(await reasonFor(both.headers, both.body, known), "verified");
  assert.equal(await reasonFor(both.headers, both.body, [createWebhookSecret()]), "invalid_signature");
});

test("one flipped bit anywhere in the body refuses the request", async () => {
  const { headers, body: text } = await sign(body);
  const bytes = new TextEncoder().encode(text);
  for (let index = 0; index < bytes.length; index++) {
    const flipped = bytes.map((byte, place) => (place === index ? byte ^ 1 : byte));
    assert.equal(await reasonFor(headers, flipped), "invalid_signature", `byte ${index}`);
  }
});

test("one changed character anywhere in a signed header refuses the request", async () => {
  const { headers, body: text } = await sign(body);
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    const value = headers[name] ?? "";
    for (let index = 0; index < value.length; index++) {
      const replacement = value[index] === "1" ? "2" : "1";
      const changed = value.slice(0, index) + replacement + value.slice(index + 1);
      assert.equal(await reasonFor({ ...headers, [name]: changed }, text), "invalid_signature", `${name} ${index}`);
    }
  }
});

test("malformed signatures are refused", async () => {
  const { headers, body: text } = await sign(body);
  const good = headers["webhook-signature"] ?? "";
  const hostile = [
    good.slice(0, 11),
    good.slice(0, -1),
    `${good}=`,
    `${good}A`,
    good.slice(3),
    good.replace("v1,", "V1,"),
    good.replace("v1,", "v2,"),
    good.replace("v1,", "v1, "),
    good.replace("v1,", "v1,v1,"),
    `${good},${good}`,
    `${good}, ${good}x`,
    "v1,",
    "v1",
    ",",
    " ",
    "sha256=",
    `sha256=${"0".repeat(64)}`,
    "v1,😀",
    `v1,${"A".repeat(100_000)}`,
    "v1,AAAA ".repeat(10_000),
  ];
  for (const signature of hostile)
    assert.equal(await reasonFor({ ...headers, "webhook-signature": signature }, text), "invalid_signature", signature);
});

test("timestamps that are not plain whole seconds are refused even when they are signed", async () => {
  const text = JSON.stringify(body);
  for (const timestamp of [
    "Infinity",
    "NaN",
    "-1",
    "1e9",
    `+${seconds}`,
    ` ${seconds}`,
    `${seconds}.0`,
    "0x10",
    "jetzt",
    String(now),
  ]) {
    // Signed by the same rule, so that only the look of the timestamp is left to refuse.
    const key = await crypto.subtle.importKey(
      "raw",
      Buffer.from(secret.slice(6), "base64"),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const mac = await crypto.subtle.sign("HMAC", key, Buffer.from(`dlv_1.${timestamp}.${text}`));
    const signature = `v1,${Buffer.from(mac).toString("base64")}`;
    const headers = { "webhook-id": "dlv_1", "webhook-timestamp": timestamp, "webhook-signature": signature };
    assert.notEqual(await reasonFor(headers, text), "verified", timestamp);
  }
});

test("the tolerance is five minutes to either side, to the second", async () => {
  for (const side of [-1, 1]) {
    const inside = await sign(body, { at: now + side * toleranceSeconds * 1000 });
    assert.equal(await reasonFor(inside.headers, inside.body, [secret], seconds * 1000), "verified");
    const outside = await sign(body, { at: now + side * (toleranceSeconds + 1) * 1000 });
    assert.equal(
      await reasonFor(outside.headers, outside.body, [secret], seconds * 1000),
      "timestamp_out_of_tolerance",
    );
  }
});

test("an unsigned request learns nothing from its timestamp", async () => {
  const { headers, body: text } = await sign(body, { secrets: [createWebhookSecret()], at: 0 });
  assert.equal(await reasonFor(headers, text), "invalid_signature");
});

test("missing, empty and repeated headers are refused", async () => {
  const { headers, body: text } = await sign(body);
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    for (const value of [undefined, "", null, []])
      assert.equal(await reasonFor({ ...headers, [name]: value }, text), "missing_header");
  }
  // The signature header is a list by itself; of the other two a receiver could not tell which one is meant.
  for (const name of ["webhook-id", "webhook-timestamp"]) {
    const twice = [headers[name], headers[name]];
    assert.equal(await reasonFor({ ...headers, [name]: twice }, text), "invalid_signature");
  }
  for (const nothing of [undefined, null, {}, [], "webhook-id", 7])
    assert.equal(await reasonFor(nothing, text), "missing_header");
});

test("a delivery id with a dot in it cannot move the border between id and timestamp", async () => {
  const { headers, body: text } = await sign(body, { id: "dlv_1.5" });
  assert.equal(await reasonFor(headers, text), "invalid_signature");
});

test("a body that a parser has eaten is an answer and no exception", async () => {
  const { headers } = await sign(body);
  for (const eaten of [body, undefined, null, 5, [], new Blob(["{}"])])
    assert.equal(await reasonFor(headers, eaten), "malformed_body");
});

test("the contract's own header is refused in every form but sha256= and 64 lower-case hex digits", async () => {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const good = await signService(secret, bytes);
  assert.equal(await verifyService([createWebhookSecret(), secret], bytes, good), true);
  const hostile = [
    "",
    "sha256=",
    good.slice(0, -1),
    `${good}0`,
    `${good.slice(0, -1)}g`,
    good.toUpperCase(),
    good.replace("sha256", "SHA256"),
    `${good},${good}`,
    `${good}, ${good}`,
    good.slice(0, 15),
    good.slice(7),
    ` ${good}`,
    `${good}\n`,
  ];
  for (const header of hostile)
    assert.equal(await verifyService([secret], bytes, header), false, JSON.stringify(header));
  assert.equal(await verifyService([""], bytes, await signServiceWithEmptyKey(bytes)), false);
});

/** Anybody can sign with the empty key, so a receiver whose secret got lost must not accept it. */
async function signServiceWithEmptyKey(bytes: Uint8Array): Promise<string> {
  const { createHmac } = await import("node:crypto");
  return `sha256=${createHmac("sha256", "").update(bytes).digest("hex")}`;
}
