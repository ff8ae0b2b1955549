/** Tells the other tabs of this browser that somebody signed out, or switched to another organization: none keeps showing what was there. */
const channel = new BroadcastChannel("sealpost-sign-out");

export function tellSignedOut(): void {
  channel.postMessage("signed-out");
}

export function tellSwitched(): void {
  channel.postMessage("switched");
}

export function onSessionChangedElsewhere(onSignedOut: () => void, onSwitched: () => void): void {
  // Another version of the app may be open in a tab, which says the first alone.
  channel.onmessage = ({ data }: MessageEvent<unknown>) => (data === "switched" ? onSwitched() : onSignedOut());
}
