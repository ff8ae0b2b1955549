import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { LockIcon } from "../ui/icons.tsx";
import { Empty, useTitle } from "../ui/page.tsx";
import { useMay } from "./membership.ts";
import type { Offer } from "./offers.ts";

/** A page for roles that are offered one of these operations: the others read that, where a link or an address has led them here. */
export function ForRoles({ offers, children }: { readonly offers: readonly Offer[]; readonly children: ReactNode }) {
  return offers.some(useMay()) ? children : <NotForRole isPage />;
}

/** Says that the role is not for what is at this address, and leads on. */
export function NotForRole({ isPage = false }: { readonly isPage?: boolean }) {
  useTitle(text.common.notForRole);
  return (
    <Empty
      action={
        <Link className={buttonClass("primary")} to="/">
          {text.common.toForms}
        </Link>
      }
      icon={<LockIcon className="size-6" />}
      isPage={isPage}
      title={text.common.notForRole}
    >
      {text.common.notForRoleHint}
    </Empty>
  );
}
