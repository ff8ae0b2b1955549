import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";

interface Opened {
  /** The id of a row; or `invite`. */
  readonly opened: string | undefined;
  readonly open: (what: string) => void;
  readonly close: () => void;
}

/** The dialog over a list is in the address: Back closes it, and does not leave the page. */
export function useOpened(): Opened {
  const { open: opened } = useSearch({ from: "/frame/instance" });
  const navigate = useNavigate({ from: "/instance" });
  const { history } = useRouter();
  return {
    opened,
    open: (what) => void navigate({ search: (before) => ({ ...before, open: what }) }),
    close() {
      // Where it was opened here; an address that came with it has no way back.
      if (history.canGoBack()) history.back();
      else void navigate({ search: (before) => ({ ...before, open: undefined }), replace: true });
    },
  };
}
