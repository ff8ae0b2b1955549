import { createContext } from "react";

/** For buttons that copy or save: what is shown around them was kept. */
export const MarkKept = createContext<(() => void) | undefined>(undefined);
