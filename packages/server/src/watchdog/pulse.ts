/** The exit code of a service that hung; its message says where. */
export const stoodStill = 3;

/** Shared with the thread: how often the event loop came round, and whether somebody debugs it. */
export type Pulse = Int32Array<SharedArrayBuffer>;
export const beats = 0;
export const isDebugged = 1;

export interface WatchdogData {
  readonly pulse: Pulse;
  /** How long the event loop may stand still. */
  readonly limitMilliseconds: number;
  /** How often the thread looks. */
  readonly lookMilliseconds: number;
}
