import { useRef, useState } from "react";
import { Cancelled } from "../api/describe-error.ts";

interface Asked<Question> {
  /** The question that is open. */
  readonly question: Question | undefined;
  /** Asks, and ends when what was asked for is done; rejects with `Cancelled` when it is not wanted. */
  readonly ask: (question: Question) => Promise<void>;
  readonly done: () => void;
  readonly cancel: () => void;
}

/** A question between a form and what it does: until it is answered, the form is not saved, and what was typed may still be lost. */
export function useAsked<Question>(): Asked<Question> {
  const [question, setQuestion] = useState<Question>();
  const answer = useRef<PromiseWithResolvers<void>>(undefined);
  return {
    question,
    ask: (next) => {
      const waiting = Promise.withResolvers<void>();
      answer.current = waiting;
      setQuestion(next);
      return waiting.promise;
    },
    done: () => {
      setQuestion(undefined);
      answer.current?.resolve();
    },
    cancel: () => {
      setQuestion(undefined);
      answer.current?.reject(new Cancelled());
    },
  };
}
