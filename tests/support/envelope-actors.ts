import {
  findRotatedEnvelope,
  formatPersonalKey,
  type HeadStore,
  type ListHead,
  type NameText,
  RefusalError,
} from "@sealpost/envelope";
import { ApiError, type Client } from "@sealpost/sdk";
import {
  bringBack,
  clearEnvelope,
  confirmRotation,
  createEnvelopeWriter,
  EnvelopeProblemError,
  type EnvelopeWriter,
  findBringable,
  findClearable,
  findStuck,
  findVersion,
  type GivenUpKeyLog,
  type KeyAgent,
  type LostKeys,
  type ReaderChange,
} from "@sealpost/sdk/envelopes";
import { createVersionSeed, type FormId, type HybridPublicKey } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { findToLookAt, sayIsRight } from "../../packages/dashboard/src/envelopes/look-at.ts";
import { giveUpKeyLog } from "../../packages/dashboard/src/envelopes/name-key-log.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { rotateWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  changed,
  type newFormKey,
  openBrowser,
  type PlayedPerson,
  type PlayedServer,
} from "../dashboard/played-envelopes.ts";
import { oneKeyStore } from "./one-key-store.ts";
import { isEveryWay } from "./sample.ts";

/** A person at work with the envelope client, by one of the programs that have it. What is refused is the reason. */
export interface Actor {
  readonly heads: HeadStore;
  /** The keys that are held for opening, by version, and why envelopes were refused. */
  open(formId: FormId): Promise<{ readonly keys: ReadonlyMap<number, string>; readonly refused: readonly string[] }>;
  /** `changed`, `unchanged`, or why not. */
  changeReaders(formId: FormId, change: ReaderChange): Promise<string>;
  /** `rotated`, or why not. `onLoss`: the person agrees to what is lost by it. */
  rotate(formId: FormId, onLoss?: (lost: LostKeys) => void): Promise<string>;
  /** `brought`, `nothing`, or why not. */
  bringBack(formId: FormId, firstVersion?: number): Promise<string>;
  /** `cleared`, `not_clearable`, or why not. */
  clear(formId: FormId, firstVersion: number): Promise<string>;
  /** `given up`, `named` where the form's envelope may name the log further, or why not. */
  giveKeyLogUp(formId: FormId): Promise<string>;
}

/** Where the personal key is: in the worker of a page, or in the memory of the command line. */
export const agents = ["a worker", "memory"] as const;
export type AgentName = (typeof agents)[number];

/** In `npm run test:cases` each case runs by both, otherwise by one of them, in turn. */
export function agentsOf(index: number): readonly AgentName[] {
  return isEveryWay ? agents : agents.slice(index % 2, (index % 2) + 1);
}

type Rotated = Awaited<ReturnType<typeof newFormKey>> & { readonly hybridPublicKey?: HybridPublicKey };

/** `rotated`: the key to which a page rotates; the command line makes its own. */
export async function openActor(
  agent: AgentName,
  server: PlayedServer,
  person: PlayedPerson,
  rotated: Rotated,
  heads: HeadStore = createMemoryStore(),
): Promise<Actor> {
  return agent === "a worker" ? openPage(server, person, rotated, heads) : openCommandLine(server, person, heads);
}

/** As `postMessage` gives it to the other side. */
function toOtherThread(agent: KeyAgent): KeyAgent {
  const cross =
    <Request, Answer>(act: (request: Request) => Promise<Answer | RefusalError>) =>
    async (request: Request) => {
      const answer = await act(structuredClone(request));
      return answer instanceof RefusalError ? answer : structuredClone(answer);
    };
  return {
    openEnvelope: cross(agent.openEnvelope),
    readSigned: cross(agent.readSigned),
    sealEnvelope: cross(agent.sealEnvelope),
    signKeyLogEntry: cross(agent.signKeyLogEntry),
    signEntry: cross(agent.signEntry),
    signHead: cross(agent.signHead),
  };
}

function openPage(server: PlayedServer, person: PlayedPerson, rotated: Rotated, heads: HeadStore): Actor {
  const browser = openBrowser(server, person, createHeads(heads));
  const context: EnvelopeContext = { ...browser, keyAgent: toOtherThread(browser.keyAgent) };
  return {
    heads,
    async open(formId) {
      const opened = await openForm(context, formId);
      if (opened.kind === "list") return { keys: new Map(), refused: [opened.list.kind] };
      if (opened.kind === "none") return { keys: new Map(), refused: [] };
      return { keys: toMap(opened.keys), refused: opened.refused.map(({ reason }) => reason) };
    },
    async changeReaders(formId, change) {
      const [swept] = await changeReaders(context, [formId], change);
      if (swept?.kind !== "failed") return swept?.kind ?? "none";
      const { failure } = swept;
      if (failure.kind === "error") throw failure.error;
      if (failure.kind === "list") return failure.list.kind;
      return failure.kind === "envelope" ? failure.reason : failure.kind;
    },
    rotate: (formId, onLoss) =>
      orReason(async () => {
        const opened = await openForm(context, formId);
        if (opened.kind !== "opened" || opened.list.kind !== "checked") return opened.kind;
        const { list } = opened;
        const stuck = await findStuck(context, list, formId, opened.refused);
        if (stuck !== undefined) return stuck.reason;
        const previous = findRotatedEnvelope(opened.envelopes, rotated.key.version);
        if (previous === undefined) return "none";
        const { version } = rotated.key;
        const { named } = await findVersion(context, formId, opened.envelopes);
        const form = { ...opened, list };
        const confirmLoss = toConfirm(onLoss);
        const shown = await confirmRotation(context, form, formId, { version, named }, { confirmLoss });
        const key = { ...rotated.key, seed: createVersionSeed() };
        const { pair, hybridPublicKey } = rotated;
        const rotation = {
          ...{ publicKey: pair.publicKey, keyVersion: rotated.key.version },
          ...(hybridPublicKey && { hybridPublicKey }),
        };
        const { refused } = opened;
        const stored = await rotateWithEnvelope(context, opened.list, formId, rotation, {
          ...{ key, previous, refused, shown },
        });
        return stored.kind === "read" ? "rotated" : stored.reason;
      }),
    bringBack: (formId, firstVersion = 1) =>
      orReason(async () => {
        const list = await loadCheckedList(context);
        const found = await findBringable(context, list, formId, firstVersion);
        if (found === undefined) return "nothing";
        const stored = await bringBack(context, list, found);
        return stored.kind === "read" ? "brought" : stored.reason;
      }),
    clear: (formId, firstVersion) =>
      orReason(async () => {
        const list = await loadCheckedList(context);
        const found = await findClearable(context, list, formId, firstVersion);
        if (found === undefined) return "not_clearable";
        await clearEnvelope(context, list, found);
        return "cleared";
      }),
    giveKeyLogUp: async (formId) => toOutcome(await giveUpKeyLog(context, formId)),
  };
}

/** The person says that each revision is right that this device is shown first, by somebody who writes no longer. Whether it was accepted. */
export async function lookAtFirst(
  server: PlayedServer,
  person: PlayedPerson,
  formId: FormId,
  heads: HeadStore,
): Promise<readonly boolean[]> {
  const context = openBrowser(server, person, createHeads(heads));
  const opened = await openForm(context, formId);
  if (opened.kind !== "opened") return [];
  const answers: boolean[] = [];
  for (const envelope of findToLookAt(opened))
    answers.push((await sayIsRight(context, formId, envelope)).outcome === "accepted");
  return answers;
}

/** As the command line and programs have it. */
export function openWriter(server: PlayedServer, { key }: PlayedPerson, heads: HeadStore): Promise<EnvelopeWriter> {
  const { former = [], ...own } = key;
  return createEnvelopeWriter({
    client: toClient(server),
    identity: formatPersonalKey(own),
    heads: oneKeyStore(heads),
    former,
  });
}

async function openCommandLine(server: PlayedServer, person: PlayedPerson, heads: HeadStore): Promise<Actor> {
  const writer = await openWriter(server, person, heads);
  return {
    heads,
    async open(formId) {
      const opened = await writer.open(formId);
      if (opened.kind === "none") return { keys: new Map(), refused: [] };
      return { keys: toMap(opened.keys), refused: opened.refused.map(({ reason }) => reason) };
    },
    changeReaders: (formId, change) =>
      orReason(async () => ((await writer.changeReaders(formId, change)).isChanged ? "changed" : "unchanged")),
    rotate: (formId, onLoss) =>
      orReason(async () => {
        const confirmLoss = toConfirm(onLoss);
        await writer.rotateForm(formId, { ...(confirmLoss && { confirmLoss }) });
        return "rotated";
      }),
    bringBack: (formId, firstVersion = 1) =>
      orReason(async () => {
        const found = await writer.findBringable(formId, firstVersion);
        if (found === undefined) return "nothing";
        await writer.bringBack(found);
        return "brought";
      }),
    clear: (formId, firstVersion) =>
      orReason(async () => {
        const found = await writer.findClearable(formId, firstVersion);
        if (found === undefined) return "not_clearable";
        await writer.clearEnvelope(found);
        return "cleared";
      }),
    giveKeyLogUp: (formId) => orReason(async () => toOutcome(await writer.giveUpKeyLog(formId))),
  };
}

const toConfirm = (onLoss: ((lost: LostKeys) => void) | undefined) =>
  onLoss && (async (lost: LostKeys) => onLoss(lost));

async function orReason(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EnvelopeProblemError) return error.problem;
    if (error instanceof RefusalError) return error.reason;
    throw error;
  }
}

function toOutcome({ mayBeNamed }: GivenUpKeyLog): string {
  return mayBeNamed ? "named" : "given up";
}

function toMap(keys: readonly { readonly keyVersion?: number; readonly fingerprint: string }[]) {
  return new Map(keys.map(({ keyVersion = 0, fingerprint }) => [keyVersion, fingerprint]));
}

/** All of the client that a writer on the command line needs, on the played server. */
export function toClient({ api }: PlayedServer): Client {
  const client = {
    memberList: {
      get: () => api.fetchList(),
      async from(_: number, known: ListHead) {
        const later = await api.fetchFrom(known);
        if (later === undefined) throw new ApiError("No such entry", { status: 404, code: "not_found" });
        return later === "unchanged" ? undefined : later;
      },
      names: () => api.fetchNames(),
      async giveBack(
        entries: readonly string[],
        after: ListHead | undefined,
        { names }: { names: readonly NameText[] },
      ) {
        if (!(await api.giveListBack({ entries, after, names }))) throw changed();
      },
    },
    envelopes: {
      list: async (formId: FormId) => {
        const versions = await api.listEnvelopes(formId);
        return Promise.all(
          versions.map(async (lowestVersion) => ({ lowestVersion, ...(await api.findNewest(formId, lowestVersion)) })),
        );
      },
      get: async (formId: FormId, firstVersion: number, { revision }: { revision: number }) =>
        (await api.fetchEnvelope(formId, firstVersion, revision))?.file,
      getNewest: (formId: FormId, firstVersion: number) => api.fetchEnvelope(formId, firstVersion),
      listRevisions: async (formId: FormId, firstVersion: number, { cursor }: { cursor?: string }) => {
        const { revisions, next } = await api.listRevisions(formId, firstVersion, cursor);
        return { revisions, nextCursor: next ?? null };
      },
      put: api.storeEnvelope,
    },
    forms: {
      keys: (formId: FormId) => api.fetchKeys(formId),
      keyLog: (formId: FormId) => api.fetchKeyLog(formId),
      addKeyLogEntry: api.addKeyLogEntry,
      removeKeyLog: api.removeKeyLog,
      proveKey: async () => undefined,
      rotateKeys: (formId: FormId, { before, ...rotation }: { before?: { revision: number } }) =>
        api.rotateKeys(formId, { ...rotation, ...(before && { previous: before }) } as never),
    },
  };
  return client as unknown as Client; // `createEnvelopeWriter` calls nothing else
}
