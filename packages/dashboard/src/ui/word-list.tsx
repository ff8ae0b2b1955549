/** Words to keep or to read out, with their numbers. */
export function WordList({
  words,
  label,
  testId,
}: {
  readonly words: readonly string[];
  readonly label: string;
  readonly testId: string;
}) {
  // A word may come twice, so its place is what tells it from the others.
  const placed = words.map((word, index) => ({ word, place: index + 1 }));
  return (
    <ol
      aria-label={label}
      className="grid list-inside list-decimal grid-cols-[repeat(auto-fill,minmax(min(100%,8.5rem),1fr))] gap-2 sm:grid-cols-3"
      data-testid={testId}
      translate="no"
    >
      {placed.map(({ word, place }) => (
        <li
          className="rounded-lg border border-line bg-sunken px-3 py-2 text-lg marker:text-muted marker:text-sm"
          key={place}
        >
          {word}
        </li>
      ))}
    </ol>
  );
}
