import { useLocation, useNavigate, useRouter, useSearch } from "@tanstack/react-router";

export interface ShownSubmission {
  readonly shownId: string | undefined;
  /** Another one takes the place of the one that is open: the way back leads to the list, not through all that were read. */
  show(id: string): void;
  close(): void;
}

/**
 * Which submission is open. It is part of the address, so that the browser's Back closes it and Forward opens it again, a
 * reload keeps it, and its address can be given to a colleague.
 */
export function useShownSubmission(): ShownSubmission {
  const { submission: shownId } = useSearch({ from: "/frame/forms/$formId/" });
  const navigate = useNavigate({ from: "/forms/$formId/" });
  const router = useRouter();
  /** Its entry in the history was made by opening it from the list, which is therefore the entry before. */
  const cameFromList = useLocation({ select: ({ state }) => state.cameFromList === true });
  return {
    shownId,
    show(id) {
      const isFirst = shownId === undefined;
      void navigate({
        search: { submission: id },
        replace: !isFirst,
        state: isFirst ? { cameFromList: true } : true,
        resetScroll: false,
      });
    },
    close() {
      if (cameFromList) router.history.back();
      else void navigate({ search: {}, replace: true, resetScroll: false });
    },
  };
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    readonly cameFromList?: boolean;
  }
}
