import type { OpeningKey } from "@sealpost/sdk";
import { sealedPartOf } from "@sealpost/vault";
import { keyChannelName } from "../browser/lock-all-forms.ts";

/**
 * Tabs of this browser tell each other which forms are open, so that one key is brought once and locked once. Keys travel
 * as CryptoKeys that can't be exported: the other tab can open with them, and no page can read them out. They come to tabs of the same person alone.
 */
export interface KeyChannel {
  /** Asks the other tabs for the keys of a form; they come by `onKeys`. */
  ask(formId: string): void;
  /** Tells them that a form was unlocked here; who shows it asks for its keys. */
  tellUnlocked(formId: string): void;
  /** Locks the form in every other tab, or all forms. */
  tellLocked(formId?: string): void;
}

export interface KeyChannelOptions {
  /** Whose page this is. */
  readonly findPerson: () => string | undefined;
  /** Whether this tab has shown the form, and so wants its keys. */
  readonly isWanted: (formId: string) => boolean;
  readonly findKeys: (formId: string) => readonly OpeningKey[];
  readonly onKeys: (formId: string, keys: readonly OpeningKey[]) => void;
  readonly onLocked: (formId: string | undefined) => void;
}

type Content =
  | { readonly kind: "unlocked"; readonly formId: string }
  | { readonly kind: "question"; readonly id: string; readonly formId: string }
  | { readonly kind: "answer"; readonly id: string; readonly keys: readonly OpeningKey[] }
  | { readonly kind: "locked"; readonly formId?: string | undefined };

/** A lock may be for everybody. */
type Message = Content & { readonly person: string | undefined };

export function createKeyChannel({ findPerson, isWanted, findKeys, onKeys, onLocked }: KeyChannelOptions): KeyChannel {
  const channel = new BroadcastChannel(keyChannelName);
  /** Questions that an answer may still come to, with their form. A lock withdraws them: an answer may be on its way already. */
  const questions = new Map<string, string>();

  function post(content: Content): void {
    channel.postMessage({ ...content, person: findPerson() } satisfies Message);
  }

  function isForThis({ kind, person }: Message): boolean {
    return person === undefined ? kind === "locked" : person === findPerson();
  }

  function ask(formId: string): void {
    const id = crypto.randomUUID();
    questions.set(id, formId);
    post({ kind: "question", id, formId });
  }

  function receive(message: Content): void {
    switch (message.kind) {
      case "unlocked":
        if (isWanted(message.formId)) ask(message.formId);
        return;
      case "question": {
        const keys = sealedPartsOf(findKeys(message.formId));
        if (keys.length > 0) post({ kind: "answer", id: message.id, keys });
        return;
      }
      case "answer": {
        const formId = questions.get(message.id);
        if (formId !== undefined) onKeys(formId, sealedPartsOf(message.keys));
        return;
      }
      case "locked":
        for (const [id, formId] of questions)
          if (message.formId === undefined || message.formId === formId) questions.delete(id);
        onLocked(message.formId);
        return;
      default:
        message satisfies never;
    }
  }

  // Only this app, in this very origin, posts here; another version of it may be open in a tab, whose kinds are unknown.
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (isForThis(data)) receive(data);
  };
  return {
    ask,
    tellUnlocked: (formId) => post({ kind: "unlocked", formId }),
    tellLocked(formId) {
      for (const [id, asked] of questions) if (formId === undefined || formId === asked) questions.delete(id);
      post({ kind: "locked", formId });
    },
  };
}

function sealedPartsOf(keys: readonly OpeningKey[]): readonly OpeningKey[] {
  return keys.map(sealedPartOf).filter((key) => key !== undefined);
}
