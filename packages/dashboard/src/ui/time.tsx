import { useEffect, useState } from "react";
import { serviceNow } from "../api/service-clock.ts";
import { formatExactTime, formatRelative } from "../texts/format.ts";

/** How long ago, kept up to date; the exact time on hover and for programs. */
export function Time({ at }: { readonly at: number }) {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExactTime(at)}>
      {/* A moment after the last look at the clock has passed all the same. */}
      {formatRelative(at, Math.max(now, Math.min(at, serviceNow())))}
    </time>
  );
}
