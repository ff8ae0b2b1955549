import assert from "node:assert/strict";
import { test } from "node:test";
import { countSlots, createHostLimits, type HostLimits } from "./host-limits.ts";

const never = new AbortController().signal;

/** Begins as many requests as there is room for, `hosts` in turn, up to all 64 slots; answers how many each got. */
function fill(hostLimits: HostLimits, hosts: readonly string[], slots = 64): readonly number[] {
  let left = slots;
  return hosts.map((host) => {
    const room = Math.min(hostLimits.room(host), left);
    for (let count = 0; count < room; count++) hostLimits.enter(host);
    left -= room;
    return room;
  });
}
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}:443`);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
function prove(hostLimits: HostLimits, hosts: readonly string[], pace: "quick" | "slow"): void {
  for (const host of hosts) {
    hostLimits.enter(host);
    hostLimits.leave(host, pace);
  }
}

test("a host gets one request at first, four after a quick answer, one after a slow one, four again after the next quick", () => {
  const hostLimits = createHostLimits();
  const room = () => hostLimits.room("a:443");
  assert.equal(room(), 1);
  hostLimits.enter("a:443");
  assert.equal(room(), 0);
  hostLimits.leave("a:443", "quick");
  assert.equal(room(), 4);
  prove(hostLimits, ["a:443"], "slow");
  assert.equal(room(), 1);
  prove(hostLimits, ["a:443"], "quick");
  assert.equal(room(), 4);
});

test("a request that nobody knows the end of teaches nothing", () => {
  const hostLimits = createHostLimits();
  hostLimits.enter("a:443");
  hostLimits.leave("a:443", undefined);
  assert.equal(hostLimits.plan().room("a:443"), 1);
});

test("any number of new hosts that hang leave sixteen slots for those that have answered", () => {
  const hostLimits = createHostLimits();
  const good = names("good", 16);
  prove(hostLimits, good, "quick");
  assert.equal(sum(fill(hostLimits, names("new", 100))), 48);
  assert.ok(fill(hostLimits, good, 16).every((room) => room === 1));
});

test("slow hosts together get sixteen slots", () => {
  const hostLimits = createHostLimits();
  const slow = names("slow", 100);
  prove(hostLimits, slow, "slow");
  assert.equal(sum(fill(hostLimits, slow)), 16);
  assert.deepEqual(new Set(hostLimits.fullHosts()), new Set(slow));
});

test("slow hosts and new ones that hang, together, leave sixteen slots for quick ones", () => {
  const hostLimits = createHostLimits();
  const slow = names("slow", 16);
  const good = names("good", 16);
  prove(hostLimits, slow, "slow");
  prove(hostLimits, good, "quick");
  assert.equal(sum(fill(hostLimits, [...slow, ...names("new", 100)])), 48);
  assert.ok(fill(hostLimits, good, 16).every((room) => room === 1));
});

test("sixteen hosts that were quick and now hang leave slots for others", () => {
  const hostLimits = createHostLimits();
  const hanging = names("hanging", 16);
  const good = names("good", 16);
  prove(hostLimits, [...hanging, ...good], "quick");
  const taken = fill(hostLimits, hanging);
  assert.equal(sum(taken), 48);
  assert.equal(Math.max(...taken), 4);
  assert.ok(fill(hostLimits, good, 16).every((room) => room === 1));
});

test("a plan counts requests before they are sent, and forgets them", () => {
  const hostLimits = createHostLimits();
  prove(hostLimits, ["a:443"], "quick");
  const plan = hostLimits.plan();
  plan.taken("a:443", 13);
  assert.equal(plan.room("a:443"), 3);
  assert.equal(hostLimits.plan().room("a:443"), 16);
});

test("who waits for a full host gets the next free place, in order, and counts from then on", async () => {
  const hostLimits = createHostLimits();
  prove(hostLimits, ["a:443"], "quick");
  fill(hostLimits, ["a:443"]);
  const order: number[] = [];
  const waiting = [1, 2].map((number) => hostLimits.enterWhenFree("a:443", never).then(() => void order.push(number)));
  hostLimits.leave("a:443", "quick");
  assert.equal(hostLimits.room("a:443"), 0, "the free place went to who waited");
  await waiting[0];
  hostLimits.leave("a:443", "quick");
  await waiting[1];
  assert.deepEqual(order, [1, 2]);
  assert.equal(hostLimits.room("a:443"), 0);
});

test("for a quick host four times what may be sent is claimed, those that wait included; for others no more than one", () => {
  const hostLimits = createHostLimits();
  prove(hostLimits, ["quick:443"], "quick");
  prove(hostLimits, ["slow:443"], "slow");
  const claim = (host: string) => {
    const room = hostLimits.plan().room(host);
    for (let count = 0; count < room; count++) hostLimits.whenFree(host, false, () => {});
    return room;
  };
  assert.deepEqual([claim("quick:443"), claim("quick:443")], [16, 0]);
  assert.equal(hostLimits.room("quick:443"), 0);
  assert.deepEqual([claim("slow:443"), claim("new:443")], [1, 1]);
  assert.deepEqual([claim("slow:443"), claim("new:443")], [0, 0]);
  assert.deepEqual(new Set(hostLimits.fullHosts()), new Set(["quick:443", "slow:443", "new:443"]));
});

test("256 deliveries are claimed at most, 96 at once, and no more than are sent while large bodies fill the memory", () => {
  assert.deepEqual([countSlots(0, 0), countSlots(200, 1_000_000), countSlots(256, 1_000_000)], [96, 56, 0]);
  const full = 32 * 1024 * 1024;
  assert.deepEqual([countSlots(40, full), countSlots(64, full), countSlots(96, full)], [24, 0, 0]);
});

test("64 requests are in flight at most, 48 of them retries, and those that wait get what is left", () => {
  const hostLimits = createHostLimits();
  const hosts = names("quick", 70);
  prove(hostLimits, hosts, "quick");
  const begun: string[] = [];
  for (const host of hosts) hostLimits.whenFree(host, true, () => begun.push(`retry ${host}`));
  assert.equal(begun.length, 48);
  for (const host of hosts) hostLimits.whenFree(host, false, () => begun.push(`first ${host}`));
  assert.equal(begun.length, 64);
  hostLimits.leave("quick0:443", "quick", true);
  assert.equal(begun.length, 65);
  assert.equal(begun.at(-1)?.startsWith("retry "), true, "a place of a retry");
  hostLimits.leave("quick48:443", "quick");
  assert.equal(begun.at(-1)?.startsWith("first "), true, "not one of a retry");
});

test("who gives up waiting takes no place", async () => {
  const hostLimits = createHostLimits();
  hostLimits.enter("a:443");
  const giveUp = new AbortController();
  const waiting = hostLimits.enterWhenFree("a:443", giveUp.signal);
  giveUp.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  hostLimits.leave("a:443", "quick");
  assert.equal(hostLimits.room("a:443"), 4);
  await assert.rejects(hostLimits.enterWhenFree("a:443", AbortSignal.abort(new Error("before"))), /before/);
});

test("what is remembered is bounded", () => {
  const hostLimits = createHostLimits();
  prove(hostLimits, names("slow", 10_001), "slow");
  assert.equal(hostLimits.plan().room("slow0:443"), 1);
  for (const host of names("slow", 10_001).slice(-16)) hostLimits.enter(host);
  assert.equal(hostLimits.plan().room("slow1:443"), 0, "remembered as slow");
  assert.equal(hostLimits.plan().room("slow0:443"), 1, "forgotten, so a new host");
});

test("limits in another thread plan the same, from what was read of these", () => {
  const hostLimits = createHostLimits();
  const other = createHostLimits();
  const rooms = (limits: HostLimits) => [...names("host", 30), "new:443"].map((host) => limits.plan().room(host));
  prove(hostLimits, names("host", 10), "quick");
  prove(hostLimits, names("host", 30).slice(10), "slow");
  fill(hostLimits, names("host", 20), 30);
  other.adopt(hostLimits.plan().read(true));
  assert.deepEqual(rooms(other), rooms(hostLimits));
  assert.deepEqual(other.fullHosts().toSorted(), hostLimits.fullHosts().toSorted());

  hostLimits.leave("host0:443", "slow");
  hostLimits.leave("host1:443", "quick");
  prove(hostLimits, ["new:443"], "quick");
  const state = hostLimits.plan().read(false);
  assert.deepEqual(
    state.paces,
    [
      ["host0:443", "slow"],
      ["new:443", "quick"],
    ],
    "only what changed",
  );
  other.adopt(state);
  assert.deepEqual(rooms(other), rooms(hostLimits));

  prove(hostLimits, names("more", 10_000), "quick");
  other.adopt(hostLimits.plan().read(false));
  assert.deepEqual(rooms(other), rooms(hostLimits), "what is forgotten here is forgotten there");
});
