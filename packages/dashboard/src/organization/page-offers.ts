import { useQuery } from "@tanstack/react-query";
import { type MenuName, type Page, type PageIn, type PageName, pages, pagesIn } from "../pages.ts";
import { sessionQuery } from "../session/session.ts";
import { useMay } from "./membership.ts";
import type { Offer } from "./offers.ts";

interface OfferedPage extends Page {
  readonly offers?: readonly Offer[];
}

/** The manifest again: each operation in it is one that the pages offer by role. */
const offeredPages: Readonly<Record<PageName, OfferedPage>> = pages;

/** The operations of which a role must be offered one to have the page; `undefined` where the page is for every role. */
export function findOffers(name: PageName): readonly Offer[] | undefined {
  return offeredPages[name].offers;
}

/** Whether a page is offered to the person who is signed in: by role, and what is for operators to operators. */
export function useHasPage(): (name: PageName) => boolean {
  const may = useMay();
  const { data: session } = useQuery(sessionQuery);
  const isOperator = (session?.user.operatorSince ?? null) !== null;
  return (name) => {
    const { audience, offers } = offeredPages[name];
    return (audience !== "operator" || isOperator) && (offers === undefined || offers.some(may));
  };
}

/** Those pages of a menu that are offered to the person who is signed in, in the order of the menu. */
export function useMenu<Menu extends MenuName>(menu: Menu): readonly PageIn<Menu>[] {
  return pagesIn(menu).filter(useHasPage());
}
