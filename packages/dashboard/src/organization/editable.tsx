import type { ReactNode } from "react";
import { useMay } from "./membership.ts";
import type { Offer } from "./offers.ts";

/** Settings that every role sees, but only some change: for the others the fields are there and do nothing. */
export function Editable({ offer, children }: { readonly offer: Offer; readonly children: ReactNode }) {
  const may = useMay();
  return may(offer) ? (
    children
  ) : (
    <fieldset className="contents" disabled>
      {children}
    </fieldset>
  );
}
