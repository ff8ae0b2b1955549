import { useCallback, useEffect, useState } from "react";

interface Made<Thing> {
  readonly thing: Thing | undefined;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Something that is made once for the component, such as a secret to show: it ends with it, and no cache keeps it. */
export function useMade<Thing>(make: () => Promise<Thing>): Made<Thing> {
  const [first] = useState(() => make);
  const [made, setMade] = useState<{ readonly thing?: Thing; readonly error?: unknown }>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isWanted = attempt >= 0;
    first().then(
      (thing) => isWanted && setMade({ thing }),
      (error: unknown) => isWanted && setMade({ error }),
    );
    return () => {
      isWanted = false;
    };
  }, [first, attempt]);
  const retry = useCallback(() => {
    setMade({});
    setAttempt((before) => before + 1);
  }, []);
  return { thing: made.thing, error: made.error, retry };
}
