import type { ButtonHTMLAttributes, ReactNode } from "react";

export type ButtonLook = "primary" | "secondary" | "quiet" | "danger";

const looks: Readonly<Record<ButtonLook, string>> = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover border-transparent",
  secondary: "bg-surface text-ink border-line-strong/60 hover:bg-sunken",
  quiet: "bg-transparent text-ink border-transparent hover:bg-sunken",
  danger: "bg-danger text-on-danger border-transparent hover:opacity-90",
};

/** The classes of a button, for links that look like one. A label has a second line only where the whole row is too short for it. */
export function buttonClass(look: ButtonLook = "secondary", small = false): string {
  const size = small ? "min-h-8 px-2.5 text-sm rounded-md gap-1.5" : "min-h-10 px-4 py-1 rounded-lg gap-2";
  return `inline-flex items-center justify-center max-w-full border font-medium wrap-break-word 2xs:shrink-0 no-underline transition-colors disabled:opacity-55 aria-disabled:opacity-55 ${size} ${looks[look]}`;
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook;
  readonly small?: boolean;
  readonly icon?: ReactNode;
  /** Work is under way: the button keeps the focus, but does nothing. */
  readonly pending?: boolean;
  /** For what is pressed many times in a row, such as a step to the next: second-press.ts lets these through. */
  readonly mayRepeat?: boolean;
}

export function Button({
  look,
  small,
  icon,
  pending = false,
  mayRepeat = false,
  children,
  className = "",
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      data-may-repeat={mayRepeat || undefined}
      aria-disabled={pending || rest["aria-disabled"] || undefined}
      className={`${buttonClass(look, small)} ${className}`}
      onClick={(event) => {
        if (pending) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {pending ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export function Spinner({ className = "size-4" }: { readonly className?: string }) {
  return (
    <svg aria-hidden="true" className={`shrink-0 animate-spin ${className}`} fill="none" viewBox="0 0 20 20">
      <circle cx="10" cy="10" opacity=".25" r="7" stroke="currentColor" strokeWidth="2.5" />
      <path d="M17 10a7 7 0 0 0-7-7" stroke="currentColor" strokeLinecap="round" strokeWidth="2.5" />
    </svg>
  );
}

/** A button with nothing but an icon; its label is read out and shown on hover. */
export function IconButton({ label, ...rest }: Omit<ButtonProps, "children"> & { readonly label: string }) {
  return (
    <Button aria-label={label} look="quiet" small title={label} {...rest} className={`px-2! ${rest.className ?? ""}`} />
  );
}
