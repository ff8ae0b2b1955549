type Message =
  | { readonly kind: "signed-out" | "switched" }
  /** The sender's page is of this person now. */
  | { readonly kind: "signed-in"; readonly person: string };

/** Tells the other tabs of this browser who signed in or out, or switched to another organization: none keeps showing what was there. */
const channel = new BroadcastChannel("sealpost-session");

function post(message: Message): void {
  channel.postMessage(message);
}

export function tellSignedIn(person: string): void {
  post({ kind: "signed-in", person });
}

export function tellSignedOut(): void {
  post({ kind: "signed-out" });
}

export function tellSwitched(): void {
  post({ kind: "switched" });
}

export interface ChangesElsewhere {
  readonly onSignedIn: (person: string) => void;
  readonly onSignedOut: () => void;
  readonly onSwitched: () => void;
}

export function onSessionChangedElsewhere({ onSignedIn, onSignedOut, onSwitched }: ChangesElsewhere): void {
  // Another version of the app may be open in a tab, whose kinds are unknown.
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "signed-in") onSignedIn(data.person);
    if (data.kind === "signed-out") {
      // A tab keeps this for itself, out of reach of the one that signed out.
      sessionStorage.clear();
      onSignedOut();
    }
    if (data.kind === "switched") onSwitched();
  };
}
