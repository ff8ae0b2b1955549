import assert from "node:assert/strict";
import { test } from "node:test";
import { countSlots, createDestinationLimits, type DestinationLimits } from "./destination-limits.ts";

const never = new AbortController().signal;
const fullMemory = 32 * 1024 * 1024;

/** Begins as many requests as there is room for, `destinations` in turn, up to all 64 slots; answers how many each got. */
function fill(destinationLimits: DestinationLimits, destinations: readonly string[], slots = 64): readonly number[] {
  let left = slots;
  return destinations.map((destination) => {
    const room = Math.min(destinationLimits.room(destination), left);
    for (let count = 0; count < room; count++) destinationLimits.enter(destination);
    left -= room;
    return room;
  });
}
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `acc-${prefix}${index} ${prefix}${index}:443`);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
function prove(destinationLimits: DestinationLimits, destinations: readonly string[], pace: "quick" | "slow"): void {
  for (const destination of destinations) {
    destinationLimits.enter(destination);
    destinationLimits.leave(destination, pace);
  }
}

test("a destination gets one request at first, four after a quick answer, one after a slow one, four again after the next quick", () => {
  const destinationLimits = createDestinationLimits();
  const room = () => destinationLimits.room("acc a:443");
  assert.equal(room(), 1);
  destinationLimits.enter("acc a:443");
  assert.equal(room(), 0);
  destinationLimits.leave("acc a:443", "quick");
  assert.equal(room(), 4);
  prove(destinationLimits, ["acc a:443"], "slow");
  assert.equal(room(), 1);
  prove(destinationLimits, ["acc a:443"], "quick");
  assert.equal(room(), 4);
});

test("a request that nobody knows the end of teaches nothing", () => {
  const destinationLimits = createDestinationLimits();
  destinationLimits.enter("acc a:443");
  destinationLimits.leave("acc a:443", undefined);
  assert.equal(destinationLimits.plan().room("acc a:443"), 1);
});

test("any number of new destinations that hang leave sixteen slots for those that have answered", () => {
  const destinationLimits = createDestinationLimits();
  const good = names("good", 16);
  prove(destinationLimits, good, "quick");
  assert.equal(sum(fill(destinationLimits, names("new", 100))), 48);
  assert.ok(fill(destinationLimits, good, 16).every((room) => room === 1));
});

test("slow destinations together get sixteen slots", () => {
  const destinationLimits = createDestinationLimits();
  const slow = names("slow", 100);
  prove(destinationLimits, slow, "slow");
  assert.equal(sum(fill(destinationLimits, slow)), 16);
  assert.deepEqual(new Set(destinationLimits.fullDestinations()), new Set(slow));
});

test("slow destinations and new ones that hang, together, leave sixteen slots for quick ones", () => {
  const destinationLimits = createDestinationLimits();
  const slow = names("slow", 16);
  const good = names("good", 16);
  prove(destinationLimits, slow, "slow");
  prove(destinationLimits, good, "quick");
  assert.equal(sum(fill(destinationLimits, [...slow, ...names("new", 100)])), 48);
  assert.ok(fill(destinationLimits, good, 16).every((room) => room === 1));
});

test("sixteen destinations that were quick and now hang leave slots for others", () => {
  const destinationLimits = createDestinationLimits();
  const hanging = names("hanging", 16);
  const good = names("good", 16);
  prove(destinationLimits, [...hanging, ...good], "quick");
  const taken = fill(destinationLimits, hanging);
  assert.equal(sum(taken), 48);
  assert.equal(Math.max(...taken), 4);
  assert.ok(fill(destinationLimits, good, 16).every((room) => room === 1));
});

test("one organization gets three quarters of the places, whatever hosts it has", () => {
  const of = (prefix: string) => names(prefix, 100).map((destination) => destination.replace(/^[^ ]+/, "acc-one"));
  const others = names("other", 64);
  for (const [pace, most, all] of [
    ["new", 36, 48],
    ["slow", 12, 16],
    ["quick", 48, 64],
  ] as const) {
    const destinationLimits = createDestinationLimits();
    if (pace !== "new") prove(destinationLimits, [...of("many"), ...of("more"), ...others], pace);
    assert.equal(sum(fill(destinationLimits, of("many"))), most, pace);
    assert.equal(sum(fill(destinationLimits, others)), all - most, pace);
    assert.equal(sum(fill(destinationLimits, of("more"))), 0, pace);
  }
});

test("organizations on one host get four places together and one each, sixteen in all, slow ones four", () => {
  const shared = names("shared", 100).map((destination) => destination.replace(/ .*/, " host:443"));
  for (const [pace, each, all] of [
    ["new", 1, 8],
    ["slow", 1, 4],
    ["quick", 4, 16],
  ] as const) {
    const destinationLimits = createDestinationLimits();
    if (pace !== "new") prove(destinationLimits, shared, pace);
    const taken = fill(destinationLimits, shared);
    assert.equal(taken[0], each, pace);
    assert.ok(taken.slice(1).every((room) => room <= 1));
    assert.equal(sum(taken), all, pace);
    if (pace === "slow") assert.ok(shared.every((one) => destinationLimits.fullDestinations().includes(one)));
    // Places at one host are no other host's.
    prove(destinationLimits, names("elsewhere", 1), "quick");
    assert.equal(destinationLimits.room("acc-shared0 elsewhere0:443"), 1);
    assert.equal(destinationLimits.room("acc-elsewhere0 elsewhere0:443"), 4);
  }
});

test("places that several destinations wait for go to them in turn", () => {
  const destinationLimits = createDestinationLimits();
  const shared = names("shared", 20).map((destination) => destination.replace(/ .*/, " host:443"));
  prove(destinationLimits, shared, "quick");
  const begun: string[] = [];
  for (const destination of shared)
    for (let count = 0; count < 3; count++)
      destinationLimits.whenFree(destination, false, () => void begun.push(destination));
  for (let next = 0; next < begun.length; next++) destinationLimits.leave(begun[next] ?? "", "quick");
  assert.equal(begun.length, 60);
  for (const destination of shared) {
    const first = begun.indexOf(destination);
    assert.ok(first < 2 * shared.length, `${destination} began after ${first}`);
  }
});

test("a plan counts requests before they are sent, and forgets them", () => {
  const destinationLimits = createDestinationLimits();
  prove(destinationLimits, ["acc a:443"], "quick");
  const plan = destinationLimits.plan();
  plan.taken("acc a:443", 13);
  assert.equal(plan.room("acc a:443"), 3);
  assert.equal(destinationLimits.plan().room("acc a:443"), 16);
});

test("who waits for a full destination gets the next free place, in order, and counts from then on", async () => {
  const destinationLimits = createDestinationLimits();
  prove(destinationLimits, ["acc a:443"], "quick");
  fill(destinationLimits, ["acc a:443"]);
  const order: number[] = [];
  const waiting = [1, 2].map((number) =>
    destinationLimits.enterWhenFree("acc a:443", never).then(() => void order.push(number)),
  );
  destinationLimits.leave("acc a:443", "quick");
  assert.equal(destinationLimits.room("acc a:443"), 0, "the free place went to who waited");
  await waiting[0];
  destinationLimits.leave("acc a:443", "quick");
  await waiting[1];
  assert.deepEqual(order, [1, 2]);
  assert.equal(destinationLimits.room("acc a:443"), 0);
});

test("for a quick destination four times what may be sent is claimed, those that wait included; for others no more than one", () => {
  const destinationLimits = createDestinationLimits();
  prove(destinationLimits, ["acc quick:443"], "quick");
  prove(destinationLimits, ["acc slow:443"], "slow");
  const claim = (destination: string) => {
    const room = destinationLimits.plan().room(destination);
    for (let count = 0; count < room; count++) destinationLimits.whenFree(destination, false, () => {});
    return room;
  };
  assert.deepEqual([claim("acc quick:443"), claim("acc quick:443")], [16, 0]);
  assert.equal(destinationLimits.room("acc quick:443"), 0);
  assert.deepEqual([claim("acc slow:443"), claim("acc new:443")], [1, 1]);
  assert.deepEqual([claim("acc slow:443"), claim("acc new:443")], [0, 0]);
  assert.deepEqual(
    new Set(destinationLimits.fullDestinations()),
    new Set(["acc quick:443", "acc slow:443", "acc new:443"]),
  );
});

test("256 deliveries are claimed at most, 96 at once, and no more than are sent while large bodies fill the memory", () => {
  const slots = (claimed: number, bytes: number) => countSlots(claimed, 0, bytes).slots;
  assert.deepEqual([slots(0, 0), slots(200, 1_000_000), slots(256, 1_000_000)], [96, 56, 0]);
  assert.deepEqual([slots(40, fullMemory), slots(64, fullMemory), slots(96, fullMemory)], [24, 0, 0]);
});

test("an organization's large bodies that wait for receivers that hang keep nobody else's deliveries from being claimed", () => {
  const [destinationLimits, thread] = [createDestinationLimits(), createDestinationLimits()];
  const mine = names("mine", 20).map((destination) => destination.replace(/^[^ ]+/, "acc-mine"));
  const others = names("other", 3);
  prove(destinationLimits, [...mine, ...others], "quick");
  let [claimed, begun] = [0, 0];
  for (const destination of mine) {
    const room = destinationLimits.plan().room(destination);
    claimed += room;
    for (let count = 0; count < room; count++) destinationLimits.whenFree(destination, false, () => void begun++);
  }
  assert.deepEqual([claimed, begun], [192, 48]);
  const { slots, isAhead } = countSlots(claimed, claimed - begun, fullMemory);
  assert.deepEqual([slots, isAhead], [16, false]);
  thread.adopt(destinationLimits.plan(isAhead).read(true));
  for (const limits of [destinationLimits, thread]) {
    const plan = limits.plan(isAhead);
    assert.deepEqual(others.map(plan.room), [1, 1, 1]);
    assert.ok(mine.every((destination) => plan.room(destination) === 0));
    const full = limits.fullDestinations(isAhead);
    assert.ok(!others.some((destination) => full.includes(destination)));
  }
});

test("64 requests are in flight at most, 48 of them retries, and those that wait get what is left", () => {
  const destinationLimits = createDestinationLimits();
  const destinations = names("quick", 70);
  prove(destinationLimits, destinations, "quick");
  const begun: string[] = [];
  for (const destination of destinations)
    destinationLimits.whenFree(destination, true, () => begun.push(`retry ${destination}`));
  assert.equal(begun.length, 48);
  for (const destination of destinations)
    destinationLimits.whenFree(destination, false, () => begun.push(`first ${destination}`));
  assert.equal(begun.length, 64);
  destinationLimits.leave("acc-quick0 quick0:443", "quick", true);
  assert.equal(begun.length, 65);
  assert.equal(begun.at(-1)?.startsWith("retry "), true, "a place of a retry");
  destinationLimits.leave("acc-quick48 quick48:443", "quick");
  assert.equal(begun.at(-1)?.startsWith("first "), true, "not one of a retry");
});

test("who gives up waiting takes no place", async () => {
  const destinationLimits = createDestinationLimits();
  destinationLimits.enter("acc a:443");
  const giveUp = new AbortController();
  const waiting = destinationLimits.enterWhenFree("acc a:443", giveUp.signal);
  giveUp.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  destinationLimits.leave("acc a:443", "quick");
  assert.equal(destinationLimits.room("acc a:443"), 4);
  await assert.rejects(destinationLimits.enterWhenFree("acc a:443", AbortSignal.abort(new Error("before"))), /before/);
});

test("what is remembered is bounded", () => {
  const destinationLimits = createDestinationLimits();
  prove(destinationLimits, names("slow", 10_001), "slow");
  assert.equal(destinationLimits.plan().room("acc-slow0 slow0:443"), 1);
  for (const destination of names("slow", 10_001).slice(-16)) destinationLimits.enter(destination);
  assert.equal(destinationLimits.plan().room("acc-slow1 slow1:443"), 0, "remembered as slow");
  assert.equal(destinationLimits.plan().room("acc-slow0 slow0:443"), 1, "forgotten, so a new host");
});

test("limits in another thread plan the same, from what was read of these", () => {
  const destinationLimits = createDestinationLimits();
  const other = createDestinationLimits();
  const rooms = (limits: DestinationLimits) =>
    [...names("host", 30), "acc new:443"].map((destination) => limits.plan().room(destination));
  prove(destinationLimits, names("host", 10), "quick");
  prove(destinationLimits, names("host", 30).slice(10), "slow");
  fill(destinationLimits, names("host", 20), 30);
  other.adopt(destinationLimits.plan().read(true));
  assert.deepEqual(rooms(other), rooms(destinationLimits));
  assert.deepEqual(other.fullDestinations().toSorted(), destinationLimits.fullDestinations().toSorted());

  destinationLimits.leave("acc-host0 host0:443", "slow");
  destinationLimits.leave("acc-host1 host1:443", "quick");
  prove(destinationLimits, ["acc new:443"], "quick");
  const state = destinationLimits.plan().read(false);
  assert.deepEqual(
    state.paces,
    [
      ["acc-host0 host0:443", "slow"],
      ["acc new:443", "quick"],
    ],
    "only what changed",
  );
  other.adopt(state);
  assert.deepEqual(rooms(other), rooms(destinationLimits));

  prove(destinationLimits, names("more", 10_000), "quick");
  other.adopt(destinationLimits.plan().read(false));
  assert.deepEqual(rooms(other), rooms(destinationLimits), "what is forgotten here is forgotten there");
});
