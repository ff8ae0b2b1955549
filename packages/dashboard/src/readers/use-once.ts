import { useEffect, useRef } from "react";

/** A mutation, as it asks for the password where the sign-in is too long ago; once, also where React runs effects twice. */
export function useOnce(mutate: () => void): void {
  const isBegun = useRef(false);
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    mutate();
  }, [mutate]);
}
