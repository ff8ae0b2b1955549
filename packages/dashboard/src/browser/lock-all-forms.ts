/** Begins messages about keys between the tabs of this browser; `person`: whose keys they are about. */
export const keyChannelName = "sealpost-keys";

/** Locks every form of this person, or of anybody, in all tabs, this one included. Needs nothing to be loaded, so that it can't fail. */
export function lockAllForms(person: string | undefined): void {
  const channel = new BroadcastChannel(keyChannelName);
  channel.postMessage({ kind: "locked", person });
  channel.close();
}
