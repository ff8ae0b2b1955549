/** Tells the other tabs of this browser that somebody signed out, so that none keeps showing their data. */
const channel = new BroadcastChannel("sealpost-sign-out");

export function tellSignedOut(): void {
  channel.postMessage("signed-out");
}

export function onSignedOutElsewhere(act: () => void): void {
  channel.onmessage = act;
}
