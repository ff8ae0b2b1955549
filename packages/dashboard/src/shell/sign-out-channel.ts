/** Tells the other tabs of this browser that somebody signed out, so that none goes on showing what was theirs. */
const channel = new BroadcastChannel("sealpost-sign-out");

export function tellSignedOut(): void {
  channel.postMessage("signed-out");
}

export function onSignedOutElsewhere(act: () => void): void {
  channel.onmessage = act;
}
