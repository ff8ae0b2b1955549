import type { StandingAnswer, StandingRow } from "../envelopes/answer-standing.ts";
import type { Fields } from "../form-kit/use-fields.ts";
import { formatDate } from "../texts/format.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Badge } from "../ui/page.tsx";

const { readers: texts } = text;

const { standing: words } = texts;

export interface StandingValues {
  /** By the ids of members. */
  readonly answers: Readonly<Record<string, StandingAnswer>>;
}

/**
 * A program that somebody has brought in goes with them, unless it is kept; nothing happens to a person about whom nothing was said. Every envelope is for
 * the recovery keys, so about one of these something has to be said, unless its sheets were typed here (`held`: its recipient).
 */
export function firstAnswers(rows: readonly StandingRow[], held?: string): StandingValues {
  const answerOf = ({ member, mayRemove, vouchedBy }: StandingRow): StandingAnswer | undefined => {
    if (member.recipient === held) return "known";
    if (vouchedBy !== undefined) return undefined;
    if (!mayRemove) return "unsure";
    if (member.role === "recovery") return undefined;
    return member.role === "program" ? "remove" : "unsure";
  };
  const answers = rows.flatMap((row) => {
    const answer = answerOf(row);
    return answer === undefined ? [] : [[row.member.id, answer] as const];
  });
  return { answers: Object.fromEntries(answers) };
}

export function readAnswers(
  rows: readonly StandingRow[],
  { answers }: StandingValues,
): readonly (readonly [StandingRow, StandingAnswer])[] {
  return rows.map((row) => [row, answers[row.member.id] ?? "unsure"]);
}

/** Who was let in, or given a key, by somebody who leaves: each under the member who did it, with what becomes of them. */
export function StandingFields({
  rows,
  fields,
  words: { edges, answers } = words,
}: {
  readonly rows: readonly StandingRow[];
  readonly fields: Fields<StandingValues>;
  readonly words?: Pick<typeof words, "edges" | "answers">;
}) {
  const { value, onChange } = fields.choice("answers");
  return (
    <ul className="grid gap-3">
      {rows.map((row) => (
        <StandingItem
          answer={value[row.member.id]}
          key={row.member.id}
          onAnswer={(answer) => onChange({ ...value, [row.member.id]: answer })}
          labelsOf={answers}
          reason={[
            row.vouchedBy === undefined ? edges(row.edges) : words.vouchedBy(row.vouchedBy),
            ...(row.entry ? [words.entry(row.entry.number, formatDate(Date.parse(row.entry.writtenAt)))] : []),
          ].join(" ")}
          row={row}
        />
      ))}
    </ul>
  );
}

/** Deeper ones are not moved further to the right: on a phone nothing would be left of the line. */
const depthMax = 3;

function StandingItem({
  row: { member, depth, fingerprint, mayRemove, vouchedBy },
  reason,
  labelsOf,
  answer,
  onAnswer,
}: {
  readonly row: StandingRow;
  readonly reason: string;
  readonly labelsOf: typeof words.answers;
  readonly answer: StandingAnswer | undefined;
  readonly onAnswer: (answer: StandingAnswer) => void;
}) {
  const isPerson = member.role !== "program" && member.role !== "recovery";
  const isGiven = vouchedBy !== undefined;
  const isNeeded = isGiven || (member.role === "recovery" && mayRemove);
  const choices = (["known", "remove", "unsure"] as const).filter((choice) =>
    choice === "remove" ? mayRemove && !isGiven : choice === "known" || !isNeeded,
  );
  const labels = labelsOf(isPerson);
  return (
    <li className="border-line border-l-2 pl-3" style={{ marginInlineStart: `${Math.min(depth, depthMax) * 0.75}rem` }}>
      <fieldset className="grid gap-1.5">
        <legend className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <bdi className="font-medium wrap-anywhere">{shownName(member)}</bdi>
          <Badge>{texts.roles[member.role]}</Badge>
        </legend>
        <p className="text-muted text-sm">
          {reason} {words.key} <code className="wrap-anywhere">{fingerprint}</code>
        </p>
        {choices.map((choice) => (
          <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={choice}>
            <input
              checked={answer === choice}
              className="mt-1"
              required={isNeeded}
              name={`standing-${member.id}`}
              onChange={() => onAnswer(choice)}
              type="radio"
            />
            <span>
              {isGiven ? words.given : labels[choice]}
              {choice === "unsure" && answer === "unsure" && (
                <span className="block text-muted text-sm">{words.unsureHint}</span>
              )}
            </span>
          </label>
        ))}
      </fieldset>
    </li>
  );
}
