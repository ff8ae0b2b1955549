import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { loading } from "../texts/load-page.ts";

/**
 * A part of a page whose script is fetched when it is first shown, with `fallback` in its place until then. Not by `lazy`: React keeps a
 * fallback for 300 ms after any on the page has appeared, and a person would wait for a script that is here.
 */
export function part<Props extends object>(
  fetchPart: () => Promise<{ readonly default: ComponentType<Props> }>,
): (props: Props & { readonly fallback?: ReactNode }) => ReactNode {
  const load = loading(fetchPart);
  let loaded: ComponentType<Props> | undefined;
  return function Part({ fallback = null, ...props }) {
    const [Loaded, setLoaded] = useState(() => loaded);
    const [failure, setFailure] = useState<{ readonly error: unknown }>();
    useEffect(() => {
      if (loaded === undefined)
        load().then(
          (fetched) => {
            loaded = fetched.default;
            setLoaded(() => loaded);
          },
          (error: unknown) => setFailure({ error }),
        );
    }, []);
    // For the page's error boundary, as of `lazy`.
    if (failure !== undefined) throw failure.error;
    return Loaded === undefined ? fallback : <Loaded {...(props as unknown as Props)} />; // all but `fallback`
  };
}
