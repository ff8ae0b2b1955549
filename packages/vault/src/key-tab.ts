import type { PublicHalves } from "@sealpost/envelope";
import { channelName, type TabMessage } from "./key-channel.ts";
import type { KeyAnswer, KeyRequest } from "./key-server.ts";
import { KeyLockedError, type KeyWorker } from "./key-worker.ts";
import { type LockTimer, startLockTimer } from "./lock-timer.ts";
import type { AskPasskey, PasskeySecrets } from "./passkey-prf.ts";
import { createWatch } from "./tab-watch.ts";

export type TabState =
  /** For a moment after the page came: another tab may have the key. */
  { readonly kind: "unknown" } | { readonly kind: "locked" } | { readonly kind: "open"; readonly halves: PublicHalves };

/** The personal key as one tab sees it: at most one tab of a browser holds it, and all of them use it. */
export interface KeyTab {
  readonly state: TabState;
  /** Whether the open key locks by itself within a minute, unless somebody does something. */
  readonly locksSoon: boolean;
  /** Calls back after each change of `state` or `locksSoon`. */
  subscribe(listener: () => void): () => void;
  /** Holds the key, which is open in `worker`, in this tab. */
  hold(worker: KeyWorker, halves: PublicHalves): Promise<void>;
  /** Rejects with `KeyLockedError` where no tab has the key, or it is locked meanwhile. */
  ask(request: KeyRequest, askPasskey?: AskPasskey): Promise<KeyAnswer>;
  /** Locks in every tab. */
  lock(): void;
  /** Somebody has done something here: the time until it locks by itself begins again. */
  use(): void;
  close(): void;
}

interface Asked {
  readonly askPasskey: AskPasskey | undefined;
  readonly resolve: (answer: KeyAnswer) => void;
  readonly reject: (error: unknown) => void;
}

interface Held {
  readonly worker: KeyWorker;
  readonly timer: LockTimer;
}

export function createKeyTab({ findMinutes }: { readonly findMinutes: () => number }): KeyTab {
  const channel = new BroadcastChannel(channelName);
  const listeners = new Set<() => void>();
  /** Requests of this tab that another answers. */
  const asked = new Map<string, Asked>();
  /** Prompts in other tabs, for requests of theirs that the worker here is at. */
  const prompts = new Map<string, (secrets: PasskeySecrets | undefined) => void>();
  const watch = createWatch(channelName, () => become({ kind: "locked" }));
  let state: TabState = { kind: "unknown" };
  let locksSoon = false;
  let held: Held | undefined;

  function post(message: TabMessage): void {
    channel.postMessage(message);
  }

  function become(next: TabState): void {
    state = next;
    locksSoon = false;
    if (next.kind === "locked") {
      for (const { reject } of asked.values()) reject(new KeyLockedError());
      asked.clear();
    }
    notify();
  }

  function notify(): void {
    for (const listener of [...listeners]) listener();
  }

  function noteSoon(isSoon: boolean): void {
    locksSoon = isSoon;
    notify();
  }

  /** Ends the key here, if this tab has it. */
  function drop(): void {
    held?.timer.stop();
    held?.worker.end();
    held = undefined;
    prompts.clear();
  }

  function lock(): void {
    post({ kind: "locked" });
    drop();
    watch.stop();
    become({ kind: "locked" });
  }

  async function hold(worker: KeyWorker, halves: PublicHalves): Promise<void> {
    // A tab that had it gives it up, and none waits for the browser's lock.
    post({ kind: "locked" });
    drop();
    const onSoon = (isSoon: boolean) => {
      post({ kind: "locks_soon", isSoon });
      noteSoon(isSoon);
    };
    const own = { worker, timer: startLockTimer(findMinutes, { onOver: lock, onSoon }) };
    held = own;
    become({ kind: "open", halves });
    // Only then: a tab that hears of it looks for this very lock.
    if ((await watch.hold()) && held === own) post({ kind: "opened", halves });
  }

  /** Answers another tab, whose page asks for the passkey if one is needed. */
  async function serve(id: string, request: KeyRequest): Promise<void> {
    if (held === undefined || held.timer.isOver()) return;
    const { worker, timer } = held;
    timer.use();
    const askPasskey: AskPasskey = (nonce) =>
      new Promise((resolve, reject) => {
        prompts.set(id, (secrets) =>
          secrets === undefined ? reject(new Error("No passkey was used")) : resolve(secrets),
        );
        post({ kind: "passkey", id, nonce });
      });
    const answer = await worker
      .ask(request, askPasskey)
      .catch((error: Error): KeyAnswer => ({ outcome: "failed", message: error.message }));
    prompts.delete(id);
    if (held?.worker === worker) post({ kind: "answer", id, answer });
  }

  async function answerPasskey(id: string, nonce: Uint8Array): Promise<void> {
    const request = asked.get(id);
    if (request?.askPasskey === undefined) return;
    try {
      post({ kind: "prf", id, secrets: await request.askPasskey(nonce) });
    } catch (error) {
      asked.delete(id);
      request.reject(error);
      post({ kind: "prf", id, secrets: undefined });
    }
  }

  function receive(message: TabMessage): void {
    switch (message.kind) {
      case "question":
        if (held === undefined || state.kind !== "open") return;
        post({ kind: "opened", halves: state.halves });
        if (locksSoon) post({ kind: "locks_soon", isSoon: true });
        return;
      case "opened":
        drop();
        watch.follow();
        become({ kind: "open", halves: message.halves });
        return;
      case "locked":
        drop();
        watch.stop();
        become({ kind: "locked" });
        return;
      case "locks_soon":
        if (state.kind === "open") noteSoon(message.isSoon);
        return;
      case "used":
        held?.timer.use();
        return;
      case "request":
        return void serve(message.id, message.request);
      case "answer":
        asked.get(message.id)?.resolve(message.answer);
        asked.delete(message.id);
        return;
      case "passkey":
        return void answerPasskey(message.id, message.nonce);
      case "prf":
        prompts.get(message.id)?.(message.secrets);
        prompts.delete(message.id);
        return;
      default:
        message satisfies never;
    }
  }

  /** Until it is known whether another tab has the key. */
  function untilKnown(): Promise<void> {
    return new Promise((resolve) => {
      if (state.kind !== "unknown") return resolve();
      const stop = subscribe(() => {
        stop();
        resolve();
      });
    });
  }

  async function ask(request: KeyRequest, askPasskey?: AskPasskey): Promise<KeyAnswer> {
    await untilKnown();
    if (state.kind === "locked" || held?.timer.isOver()) throw new KeyLockedError();
    if (held === undefined)
      return new Promise((resolve, reject) => {
        const id = crypto.randomUUID();
        asked.set(id, { askPasskey, resolve, reject });
        post({ kind: "request", id, request });
      });
    held.timer.use();
    return held.worker.ask(request, askPasskey);
  }

  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  // Only this app, in this very origin, posts here; another version of it may be open in a tab, whose kinds are unknown.
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data);
  watch.follow();
  post({ kind: "question" });
  return {
    get state() {
      return state;
    },
    get locksSoon() {
      return locksSoon;
    },
    subscribe,
    hold,
    ask,
    lock,
    use() {
      if (held !== undefined) held.timer.use();
      else if (state.kind === "open") post({ kind: "used" });
    },
    close() {
      drop();
      watch.stop();
      channel.close();
    },
  };
}
