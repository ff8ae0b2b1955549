import type { Forgery } from "./forge.ts";
import type { Step } from "./steps.ts";
import type { Walk } from "./walk.ts";

const forgery: Forgery = {
  ...{ isOfOlder: false, of: "the last", readers: "the same", by: "the same", keys: "the same", list: "newest" },
  ...{ log: "the same", shape: "in order", isFormerKey: false, isPublished: false },
};

const forged = (changes: Partial<Forgery>): Step => ({ kind: "forge", by: "mo", forgery: { ...forgery, ...changes } });
const adas = 0;
const reas = 4;

const start = { dishonest: ["mo"], isColluding: true, firstVersion: 1, hasLog: false, probe: "rotate" } as const;

/** Histories by the rule that they need, without which they end otherwise. */
export const knownWalks: Readonly<Record<string, Walk>> = {
  "a key that was put there ahead of its time gives way to that of the rotation": {
    ...start,
    steps: [forged({ keys: "with one ahead" })],
  },
  "a published key that was seen is in every later revision": {
    ...start,
    steps: [{ kind: "rotate", device: adas }, { kind: "look", device: reas }, forged({ keys: "without the last" })],
  },
  "after a gap owners alone continue": {
    ...start,
    steps: [
      { kind: "look", device: reas },
      { kind: "change readers", device: adas, remove: "rea" },
      { kind: "change readers", device: adas, remove: "mo" },
      forged({ readers: "with everybody", by: "ada" }),
    ],
  },
  "a version goes into the envelope in which it has its place, whatever was begun above": {
    ...start,
    steps: [forged({ of: "one that is begun", shape: "bytes" }), { kind: "look", device: adas }],
  },
  "a rotation begins an envelope over what was begun there ahead of its time": {
    ...{ ...start, firstVersion: 32 },
    steps: [forged({ of: "one that is begun", shape: "bytes" })],
  },
  "a rotation begins an envelope below what was begun ahead of its time": {
    ...{ ...start, firstVersion: 32 },
    steps: [forged({ of: "one far above" })],
  },
  "where the service has made versions up, an owner gives the log up, and says that they are right": {
    ...{ ...start, hasLog: true },
    steps: [forged({ of: "one far above", shape: "bytes", isPublished: true })],
  },
  "who became an owner after the newest entry of the log gives it up": {
    ...{ ...start, isColluding: false, hasLog: true },
    steps: [{ kind: "entry", by: "ada", of: "rea", to: "owner" }],
  },
  "what can be brought back once a log was given up here is no way to rotate over": {
    ...{ ...start, isColluding: false, firstVersion: 32, hasLog: true },
    steps: [
      forged({ of: "one that is begun", isOfOlder: true, by: "themself", isFormerKey: true }),
      { kind: "log", device: adas, how: "give up" },
      { kind: "change readers", device: adas, remove: "ole" },
      forged({ isOfOlder: true, by: "themself" }),
      { kind: "entry", by: "ada", of: "ole", to: "owner" },
    ],
  },
  "another key that was opened while the form's own was denied gives way to that one": {
    ...start,
    steps: [
      { kind: "rotate", device: adas },
      forged({ keys: "another last" }),
      { kind: "fresh", device: adas + 1 },
      { kind: "look", device: adas + 1, lie: { isKeyDenied: true } },
    ],
  },
  "what is below junk comes back after its log was given up, on a device that has seen nothing": {
    ...{ ...start, hasLog: true },
    steps: [
      { kind: "look", device: reas },
      forged({ shape: "bytes" }),
      { kind: "log", device: adas, how: "give up" },
      { kind: "fresh", device: adas },
      { kind: "fresh", device: adas + 1 },
    ],
  },
  "the word of a revision is no proof of who let a reader in": {
    ...start,
    steps: [
      { kind: "look", device: reas },
      { kind: "entry", by: "mo", of: "puppet", to: "reader" },
      forged({ readers: "with the puppet", by: "ada" }),
      { kind: "entry", by: "ada", of: "mo", to: "removed" },
      { kind: "entry", by: "ada", of: "puppet", to: "vouched for" },
    ],
  },
};
