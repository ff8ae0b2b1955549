import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createId, type Fields } from "@sealpost/wire";
import { sampleEvery } from "../../../../tests/support/sample.ts";
import { createUndoQueue } from "../account-life/address-routes.ts";
import type { Form } from "../forms/form.ts";
import { createReadHtmlForm } from "../html-forms/read-html-form.ts";
import { createProviderQueue } from "../oidc/provider-turns.ts";
import { Problem } from "../problems/problem.ts";
import { createStripFields } from "../submissions/strip-fields.ts";
import { createStripThread } from "../submissions/strip-thread.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { toNestedNetworks } from "./client-address.ts";
import { createPasswordQueue } from "./password-queue.ts";

/** A request of somebody whom nobody knows. */
interface Sent {
  readonly account: string;
  readonly form: string;
  readonly ip: string;
  /** A part of the longest that goes to this line. */
  readonly length: 1 | 0.5;
  readonly answer?: Answer;
}

/** An answer that is being waited for. */
class Answer extends EventEmitter {
  destroyed = false;
  leave(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

type Send = (sent: Sent) => Promise<unknown>;

interface Line {
  readonly create: (t: TestScope) => Send;
  /** Whether it has forms, and lengths. */
  readonly isOfForms: boolean;
}

/** Takes some milliseconds for each, and gives back nothing. */
const slowThread = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", () => setTimeout(() => parentPort.postMessage({ fields: "{}" }), 5));`)}`,
);

const formOf = ({ account, form }: Sent) =>
  ({ accountId: account, id: form, settings: { piiTypes: null, country: null } }) as unknown as Form;
const fieldsOf = (length: number): Fields => ({ note: "a ".repeat(length / 2) });

/** Every line in which somebody stands whom nobody knows. */
const lines: Readonly<Record<string, Line>> = {
  "long texts to strip": {
    isOfForms: true,
    create(t) {
      const thread = createStripThread({ entry: slowThread });
      t.after(() => thread.stop());
      const strip = createStripFields(thread);
      return (sent) => strip(formOf(sent), fieldsOf(sent.length * 20_000), sent);
    },
  },
  "shorter texts to strip": {
    isOfForms: true,
    create() {
      const strip = createStripFields({ strip: () => assert.fail("too long"), stop: async () => {} });
      return (sent) => strip(formOf(sent), fieldsOf(sent.length * 4_000), sent);
    },
  },
  "posted HTML forms": {
    isOfForms: true,
    create() {
      const read = createReadHtmlForm();
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return (sent) => {
        const body = Buffer.from(`note=${"a".repeat(sent.length * 200_000)}`);
        return read({ body, headers, ip: sent.ip }, formOf(sent), sent.answer);
      };
    },
  },
  "passwords of strangers": {
    isOfForms: false,
    create() {
      const queue = createPasswordQueue({ runningMax: 1 });
      return ({ ip }) => queue.run("stranger", () => setImmediate(), ip);
    },
  },
  "answers of the identity provider": {
    isOfForms: false,
    create() {
      const queue = createProviderQueue(1);
      return ({ ip }) =>
        queue.run({ accountId: "", personId: undefined }, () => setImmediate(), { networks: toNestedNetworks(ip) });
    },
  },
  "links that undo a move": {
    isOfForms: false,
    create() {
      const queue = createUndoQueue();
      return ({ ip }) =>
        queue.run({ accountId: "", personId: undefined }, () => setImmediate(), { networks: toNestedNetworks(ip) });
    },
  },
};

const hex = (number: number) => number.toString(16);
const account = createId("account", 0);
const form = createId("form", 0);
const busy: Sent = { account, form, ip: "2001:db8:1:1::1", length: 1 };
/** More than any line has places for. */
const count = 300;

/** Who fills a line, with what. */
const fills: Readonly<Record<string, (number: number) => Sent>> = {
  "one site, with many addresses": (number) => ({ ...busy, ip: `2001:db8:1:${hex(number % 256)}::1` }),
  "one organization's network": (number) => ({ ...busy, ip: `2001:db8:1:${hex((number * 257) % 65_536)}::1` }),
  "one provider's network": (number) => ({ ...busy, ip: `2001:db8:${hex(number)}:1::1` }),
  "one IPv4 network": (number) => ({ ...busy, ip: `192.0.2.${number % 256}` }),
  "many networks": (number) => ({ ...busy, ip: `${20 + (number >> 8)}.${number % 256}.0.1` }),
  "one network at many forms": (number) => ({ ...busy, form: createId("form", number + 1) }),
  "one network's addresses at many forms": (number) => ({
    ...busy,
    ip: `2001:db8:1:${hex(number % 256)}::1`,
    form: createId("form", number + 1),
  }),
  "one network at forms of many organizations": (number) => ({
    ...busy,
    account: createId("account", number + 1),
    form: createId("form", number + 1),
  }),
  "many networks at many forms": (number) => ({
    ...busy,
    ip: `${20 + (number >> 8)}.${number % 256}.0.1`,
    form: createId("form", number + 1),
  }),
};

const elsewhere = "198.51.100.7";
const newcomers: Readonly<Record<string, Sent>> = {
  "of another organization": {
    ...busy,
    account: createId("account", 9_999),
    form: createId("form", 9_999),
    ip: elsewhere,
  },
  "of another form": { ...busy, form: createId("form", 9_998), ip: elsewhere },
  "of another network": { ...busy, ip: elsewhere },
  "with a shorter text": { ...busy, ip: elsewhere, length: 0.5 },
};

/** Nobody can tell these newcomers from those who fill the line, and they would take the places of others who came before them. */
const alike: ReadonlySet<string> = new Set([
  "many networks: of another network",
  "many networks at many forms: of another form",
  "many networks at many forms: of another network",
]);

const newcomerCases = Object.entries(lines).flatMap(([line, { create, isOfForms }]) =>
  Object.entries(fills).flatMap(([fill, fillOf]) =>
    Object.entries(newcomers)
      .filter(([newcomer]) => !alike.has(`${fill}: ${newcomer}`))
      .filter(([newcomer]) => isOfForms || (newcomer === "of another network" && !/forms|many networks/.test(fill)))
      .map(([newcomer, sent]) => ({ line, create, fill, fillOf, newcomer, sent })),
  ),
);
for (const { line, create, fill, fillOf, newcomer, sent } of sampleEvery(newcomerCases, 5))
  test(`${line}: a newcomer ${newcomer} is served among the first when ${fill} fills the line`, async (t) => {
    const send = create(t);
    const order: string[] = [];
    const ask = (name: string, what: Sent) =>
      send(what).then(
        () => void order.push(name),
        (error) => {
          assert.ok(error instanceof Problem && error.status === 503, String(error));
          order.push(`${name} put off`);
        },
      );
    const all = Array.from({ length: count }, (_, number) => ask("flood", fillOf(number)));
    all.push(ask("newcomer", sent));
    await Promise.all(all);
    const served = order.filter((name) => !name.endsWith("put off"));
    assert.ok(order.includes("flood put off"), "the line was full");
    const place = served.indexOf("newcomer");
    assert.ok(place >= 0 && place <= 3, `served as number ${place} of ${served.length}`);
  });

for (const [line, { create, isOfForms }] of Object.entries(lines))
  if (isOfForms)
    test(`${line}: who has left has no place, and nothing of theirs is done`, async (t) => {
      const send = create(t);
      const left: Answer[] = [];
      const all = Array.from({ length: count }, (_, number) => {
        const answer = new Answer();
        left.push(answer);
        return send({ ...busy, ip: `${20 + (number >> 8)}.${number % 256}.0.1`, answer }).then(
          () => true,
          (error) => !(error instanceof Problem && error.status === 503),
        );
      });
      for (const answer of left) answer.leave();
      const late = send({ ...busy, ip: elsewhere });
      const done = (await Promise.all(all)).filter(Boolean).length;
      await late;
      assert.ok(done <= 1, `${done} were done for nobody`);
    });
