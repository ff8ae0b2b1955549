import { useNavigate } from "@tanstack/react-router";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { Session } from "../api/session-api.ts";
import { applyTheme, findTheme, type Theme } from "../browser/theme.ts";
import { OrganizationItems } from "../members/organization-items.tsx";
import { useMenu } from "../organization/page-offers.ts";
import { pages } from "../pages.ts";
import { endPage } from "../session/end-page.ts";
import { useSignOut } from "../sign-in/use-sign-out.ts";
import { text } from "../texts/text.ts";
import { Button, Spinner } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckIcon, UserIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";

const itemClass =
  "flex items-center justify-between gap-4 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-sunken data-highlighted:outline-2 data-highlighted:outline-solid data-highlighted:outline-accent";

/** Not modal: a modal menu injects a style element, which the page's policy refuses. Not in a portal: it belongs to the bar. */
export default function AccountMenu({ user }: { readonly user: Session["user"] }) {
  const { name, email } = user;
  const [isOpen, setIsOpen] = useState(false);
  const menu = useMenu("account");
  const navigate = useNavigate();
  // No page may hold somebody back: without a session there is nothing to show.
  const signOut = useSignOut(() => endPage("signed-out"));
  return (
    <>
      <DropdownMenu.Root modal={false} onOpenChange={setIsOpen} open={isOpen}>
        <DropdownMenu.Trigger
          aria-label={text.common.accountMenu}
          className="grid size-9 place-items-center pointer-coarse:size-11 rounded-full bg-accent-soft font-semibold text-accent"
        >
          {name.trim() === "" ? <UserIcon className="size-5" /> : Array.from(name.trim())[0]?.toUpperCase()}
        </DropdownMenu.Trigger>
        <DropdownMenu.Content
          align="end"
          className="z-30 w-64 rounded-xl border border-line bg-raised p-1.5 shadow-float"
          sideOffset={6}
        >
          <div className="px-2.5 pt-1.5 pb-2">
            <p className="truncate font-medium">{name}</p>
            <p className="truncate text-muted text-sm">{email}</p>
          </div>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          {menu.map((page) => (
            <DropdownMenu.Item className={itemClass} key={page} onSelect={() => navigate({ to: pages[page].path })}>
              {text.pages[page]}
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <OrganizationItems itemClass={itemClass} onSwitched={() => setIsOpen(false)} />
          <ThemeItems />
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <SignOutItem onSettled={() => setIsOpen(false)} signOut={signOut} />
        </DropdownMenu.Content>
      </DropdownMenu.Root>
      {signOut.isError && (
        <Dialog
          footer={
            <Button look="primary" onClick={() => signOut.mutate()} pending={signOut.isPending}>
              {text.common.retry}
            </Button>
          }
          onClose={signOut.reset}
          title={text.common.signOutFailed}
        >
          <ErrorNotice error={signOut.error} what={text.common.signOutFailedHint} />
        </Dialog>
      )}
    </>
  );
}

/** The menu stays until it is done, and shows that it is under way. */
function SignOutItem({
  signOut: { isPending, mutate },
  onSettled,
}: {
  readonly signOut: ReturnType<typeof useSignOut>;
  readonly onSettled: () => void;
}) {
  return (
    <DropdownMenu.Item
      className={itemClass}
      disabled={isPending}
      onSelect={(event) => {
        event.preventDefault();
        mutate(undefined, { onSettled });
      }}
    >
      {text.common.signOut}
      {isPending && <Spinner />}
    </DropdownMenu.Item>
  );
}

function ThemeItems() {
  const [theme, setTheme] = useState(findTheme);
  return (
    <>
      <DropdownMenu.Label className="px-2.5 py-1 text-muted text-sm">{text.common.theme}</DropdownMenu.Label>
      <DropdownMenu.RadioGroup
        onValueChange={(value) => {
          applyTheme(value as Theme); // the values below
          setTheme(value as Theme); // the same
        }}
        value={theme}
      >
        {(["system", "light", "dark"] as const).map((value) => (
          <DropdownMenu.RadioItem
            className={itemClass}
            key={value}
            onSelect={(event) => event.preventDefault()}
            value={value}
          >
            {text.common.themes[value]}
            <DropdownMenu.ItemIndicator>
              <CheckIcon />
            </DropdownMenu.ItemIndicator>
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    </>
  );
}
