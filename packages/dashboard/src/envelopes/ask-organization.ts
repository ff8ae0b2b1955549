import { useSyncExternalStore } from "react";
import type { OrganizationQuestion } from "./own-organization.ts";

interface Asked extends OrganizationQuestion {
  readonly answer: (isMeant: boolean) => void;
}

/** There while somebody is being asked. */
let asked: Asked | undefined;
const listeners = new Set<() => void>();

function show(next: Asked | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Asks in the frame's dialog. A question that another one takes the place of is answered with no. */
export function askOrganization(question: OrganizationQuestion): Promise<boolean> {
  asked?.answer(false);
  return new Promise((resolve) => {
    const answer = (isMeant: boolean) => {
      show(undefined);
      resolve(isMeant);
    };
    show({ ...question, answer });
  });
}

export function useOrganizationQuestion(): Asked | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
}
