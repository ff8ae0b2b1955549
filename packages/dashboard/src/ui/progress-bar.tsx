/** A thin bar in the colours of the theme; those of browsers are in none. */
export function ProgressBar({
  label,
  done,
  of,
  className = "w-full",
}: {
  readonly label: string;
  readonly done: number;
  readonly of: number;
  readonly className?: string;
}) {
  return (
    <progress
      aria-label={label}
      className={`h-1.5 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent ${className}`}
      max={of}
      value={done}
    />
  );
}
