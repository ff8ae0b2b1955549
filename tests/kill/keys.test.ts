import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { findFreePort } from "../../packages/server/src/testing/postgres-server.ts";
import { createTemporaryFolder, type TestScope } from "../../packages/server/src/testing/temporary-folder.ts";
import { type BrowserProcess, startBrowserProcess } from "../support/browser-process.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { type Gate, type Moment, openGate, type RequestPoint } from "./gate.ts";
import { keyFlows } from "./key-flows.ts";
import { type Holding, holdToPromises } from "./key-ledger.ts";
import { confirmOrganization, type KeyFlow, type Visit } from "./key-visit.ts";
import { type KeyWorld, makeWorld, type PersonName, signIn } from "./key-world.ts";

/** `npm run test:kill:keys` kills at every request, `npm run test:kill` at thirty, `npm run test:dashboard` at three. */
const rounds = Number(process.env.SEALPOST_KEY_KILLS ?? process.env.SEALPOST_KILL_ROUNDS ?? 3);

/** Data of an instance on the disk, and the people's things. */
interface Prepared {
  readonly folder: string;
  readonly world: KeyWorld;
  readonly links: readonly string[];
}

interface Kill {
  readonly point: RequestPoint;
  readonly moment: Moment;
  readonly victim: "browser" | "service";
  /** The browser that continues: with the profile of the one before, or on a computer that has seen nothing. */
  readonly continues: "same profile" | "fresh profile";
}

describe("kill -9 at the requests of everything that changes keys", () => {
  const closers: (() => unknown)[] = [];
  const scope: TestScope = { after: (close) => closers.push(close as () => unknown) };
  let gate: Gate;
  let folders = 0;
  let root = "";
  const prepared = new Map<string, Promise<Prepared>>();

  before(async () => {
    gate = await openGate();
    root = createTemporaryFolder(scope);
  });
  after(async () => {
    gate.close();
    for (const close of closers.reverse()) await close();
  });

  const newFolder = () => join(root, String(++folders));

  /** The service to which the gate leads, and whose own address is that of the gate. */
  async function startService(dataFolder: string): Promise<ServiceProcess> {
    const port = await findFreePort();
    gate.lead(`http://127.0.0.1:${port}`);
    return startServiceProcess({
      SEALPOST_DATA: dataFolder,
      SEALPOST_PORT: String(port),
      SEALPOST_BASE_URL: gate.url,
      SEALPOST_SIGNUP: "open",
      SEALPOST_SUBMIT_RATE: "0",
      SEALPOST_API_RATE: "0",
    });
  }

  /** An instance before the flow; made once, and copied for each round. */
  function prepare({ beginning }: KeyFlow): Promise<Prepared> {
    const name = typeof beginning === "string" ? beginning : beginning.after;
    const known = prepared.get(name) ?? makePrepared(beginning);
    prepared.set(name, known);
    return known;
  }

  async function makePrepared(beginning: KeyFlow["beginning"]): Promise<Prepared> {
    if (typeof beginning !== "string") {
      const flow = keyFlows.find(({ name }) => name === beginning.after) ?? assert.fail();
      const round = await openRound(flow);
      try {
        const browser = await round.openBrowser(newFolder());
        await round.run(browser.context);
        await browser.kill();
        return { folder: round.folder, world: round.world, links: round.links };
      } finally {
        await round.close();
      }
    }
    const folder = newFolder();
    mkdirSync(folder);
    const service = await startService(folder);
    try {
      const world = await makeWorld({ url: gate.url, setupToken: service.setupToken }, beginning);
      return { folder, world, links: [] };
    } finally {
      await service.kill();
    }
  }

  /** A copy of the beginning with a service, and browsers on it. */
  async function openRound(flow: KeyFlow) {
    const { folder: from, world, links: known } = await prepare(flow);
    const folder = newFolder();
    cpSync(from, folder, { recursive: true });
    let service = await startService(folder);
    const browsers: BrowserProcess[] = [];
    const papers: (readonly string[])[] = flow.beginning === "no key" ? [] : [world.papers[flow.person]];
    const links = [...known];
    const sheets: (readonly string[])[] = [];
    let paper = papers[0];

    const sign = (person: PersonName) => signIn(gate.url, person);
    return {
      folder,
      world,
      links,
      async openBrowser(profile: string): Promise<BrowserProcess> {
        const browser = await startBrowserProcess(profile);
        browsers.push(browser);
        const { name, value } = (await sign(flow.person)).cookie;
        await browser.context.addCookies([{ name, value, url: gate.url, sameSite: "Lax", httpOnly: true }]);
        return browser;
      },
      async run(context: BrowserProcess["context"]): Promise<void> {
        const page = await context.newPage();
        const visit: Visit = { page, url: gate.url, world, papers, paper, links, sheets };
        void confirmOrganization(page);
        await flow.run(visit);
        await page.close();
      },
      killService: () => service.kill(),
      async restartService() {
        service = await startService(folder);
      },
      /** Both people, each with their account and paper. */
      async hold(): Promise<Holding> {
        const { client } = await sign("ada");
        const own = flow.person === "ada" ? papers : [world.papers.ada];
        const held = await holdToPromises(client, own);
        if (flow.person === "ada") paper = held.paper;
        return held;
      },
      async close() {
        for (const browser of browsers) await browser.kill();
        await service.kill();
      },
    };
  }

  const each = Math.floor(rounds / keyFlows.length);
  for (const flow of keyFlows.filter(({ isShort }) => each > 0 || isShort))
    test(flow.name, async (t) => {
      const points = await recordFlow(flow);
      const kills = choose(listKills(points), Math.max(each, 1));
      t.diagnostic(`${points.length} requests, ${kills.length} kills`);
      for (const kill of kills)
        try {
          await killAt(flow, kill);
        } catch (error) {
          t.diagnostic(String(error));
          const { point, moment, victim, continues } = kill;
          throw new Error(`${victim} killed ${moment} ${point.method} ${point.path} (${point.count}), ${continues}`, {
            cause: error,
          });
        }
    });

  async function recordFlow(flow: KeyFlow): Promise<readonly RequestPoint[]> {
    const round = await openRound(flow);
    try {
      const browser = await round.openBrowser(newFolder());
      const seen = gate.record();
      await round.run(browser.context);
      const points = [...seen];
      flow.check(await round.hold(), round.links);
      return points;
    } finally {
      await round.close();
    }
  }

  async function killAt(flow: KeyFlow, { point, moment, victim, continues }: Kill): Promise<void> {
    const round = await openRound(flow);
    try {
      const profile = newFolder();
      const browser = await round.openBrowser(profile);
      gate.record();
      let isSprung = false;
      const killed = gate.arm(point, moment, () => {
        isSprung = true;
        return victim === "browser" ? browser.kill() : round.killService();
      });
      const ended = round.run(browser.context).catch((error: unknown) => {
        if (!isSprung) throw error;
      });
      await Promise.race([killed, ended]);
      if (isSprung) await killed;
      else assert.ok(isSpared(point), "the request was not made");
      gate.record();
      await browser.kill();
      await ended;
      if (victim === "service") {
        await round.killService(); // it lives where the request was spared
        await round.restartService();
      }
      await round.hold();
      const next = await round.openBrowser(continues === "same profile" ? profile : newFolder());
      await round.run(next.context);
      flow.check(await round.hold(), round.links);
    } finally {
      await round.close();
    }
  }
});

/** Reading requests may be spared, or come in another order, and a head is left by itself, mostly when the flow has ended. Others are always there. */
function isSpared({ method, path }: RequestPoint): boolean {
  return method === "GET" || path.startsWith("/api/account/signed-heads/");
}

/** Between any two requests: at each that changes something, before and after it, for either victim; at those that read, before it. */
function listKills(points: readonly RequestPoint[]): readonly Kill[] {
  return points.flatMap((point): Kill[] => {
    if (point.method === "GET") return [{ point, moment: "before", victim: "browser", continues: "same profile" }];
    return (["after", "before"] as const).flatMap((moment): Kill[] => [
      { point, moment, victim: "browser", continues: "same profile" },
      { point, moment, victim: "service", continues: "same profile" },
      { point, moment, victim: "browser", continues: "fresh profile" },
    ]);
  });
}

/** So many of them, from the whole of the flow; those at requests that change something, where it is not all. */
function choose(kills: readonly Kill[], count: number): readonly Kill[] {
  if (count >= kills.length) return kills;
  const changing = kills.filter(({ point }) => point.method !== "GET");
  const step = changing.length / Math.min(count, changing.length);
  return Array.from(
    { length: Math.min(count, changing.length) },
    (_, index) => changing[Math.floor((index + 0.5) * step)],
  ).filter((kill) => kill !== undefined);
}
