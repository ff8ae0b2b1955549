/** The watchdog's observation: the monotonic clock, how often the event loop came round, whether it is debugged. */
export interface Look {
  readonly milliseconds: number;
  readonly beats: number;
  readonly isDebugged: boolean;
}

/** For how long the event loop has stood still, counted from look to look. */
export interface Standstill {
  readonly last: Look;
  readonly milliseconds: number;
}

/**
 * A look that comes late tells that the whole process was stopped, the machine asleep or far too busy: then the event loop
 * had no time of its own either, and counting begins again. So does it while somebody stands at a breakpoint.
 */
export function next({ last, milliseconds }: Standstill, look: Look, lookMilliseconds: number): Standstill {
  const gap = look.milliseconds - last.milliseconds;
  const isStanding = look.beats === last.beats && !look.isDebugged && gap < 3 * lookMilliseconds;
  return { last: look, milliseconds: isStanding ? milliseconds + gap : 0 };
}
