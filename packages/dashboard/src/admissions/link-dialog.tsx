import type { Admission, Member } from "@sealpost/sdk";
import { generatePassphrase } from "@sealpost/vault";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { nameOf } from "../organization/names.ts";
import { pages } from "../pages.ts";
import { loadWords } from "../personal-key/load-words.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { WordList } from "../ui/word-list.tsx";
import { admissionsQuery } from "./admissions-query.ts";
import { makeLink, type PassedOn, toNewcomer } from "./bring-in.ts";
import { Finish } from "./finish-dialog.tsx";
import { LinkToPassOn } from "./pass-on.tsx";
import { Failed, Next, WithKey } from "./with-key.tsx";

const { answerRefusals, admissions: texts, members } = text;

interface Made extends PassedOn {
  /** Read out in the place of the link. */
  readonly words?: readonly string[];
}

interface LinkProps {
  readonly context: EnvelopeContext;
  readonly member: Member;
  readonly onClose: (said?: string) => void;
}

/** The link or the words for a member, this once. With words the member is brought in right here, as soon as they have answered. */
export function LinkDialog({
  member,
  onClose,
}: {
  readonly member: Member;
  readonly onClose: (said?: string) => void;
}) {
  return (
    <Dialog isWide onClose={() => onClose()} title={texts.linkTitle(nameOf(member))}>
      <WithKey>{(context) => <NewLink context={context} member={member} onClose={onClose} />}</WithKey>
    </Dialog>
  );
}

function NewLink({ context, member, onClose }: LinkProps) {
  const name = nameOf(member);
  const role = texts.linkRole(name, members.roles[member.role]);
  const making = useMutation({
    mutationFn: async (how: "link" | "words"): Promise<Made> => {
      if (how === "link") return makeLink(context, toNewcomer(member));
      const words = generatePassphrase(await loadWords()).split(" ");
      return { ...(await makeLink(context, toNewcomer(member), words)), words };
    },
    // The link must not outlive this dialog.
    gcTime: 0,
  });
  const { data: made, variables: how, isPending } = making;
  if (made?.words !== undefined)
    return <InPerson context={context} made={made} member={member} onClose={onClose} words={made.words} />;
  if (made !== undefined)
    return (
      <Next key="link">
        <p>{role}</p>
        <LinkToPassOn hint={texts.linkOnce(name)} url={made.url} />
        <p className="text-muted text-sm">{texts.after(name)}</p>
        <div>
          <Button look="primary" onClick={() => onClose()}>
            {texts.copied}
          </Button>
        </div>
      </Next>
    );
  return (
    <Next key="make">
      <p>{role}</p>
      <p>{texts.linkHint(name)}</p>
      {making.isError && <Failed error={making.error} refusals={answerRefusals} />}
      <fieldset className="grid gap-3">
        <legend className="mb-2 font-medium">{texts.howTitle}</legend>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={() => making.mutate("link")} pending={isPending && how === "link"}>
            {texts.byLink}
          </Button>
          <Button onClick={() => making.mutate("words")} pending={isPending && how === "words"}>
            {texts.byWords}
          </Button>
        </div>
      </fieldset>
    </Next>
  );
}

const lookMilliseconds = 2000;

/** Six words and a code, until the person has answered; then who has answered. */
function InPerson({
  context,
  member,
  made: { admissionId, url },
  words,
  onClose,
}: LinkProps & { readonly made: Made; readonly words: readonly string[] }) {
  const name = nameOf(member);
  const find = (admissions: readonly Admission[] | undefined) =>
    admissions?.find(({ id, answeredAt }) => id === admissionId && answeredAt !== null);
  const open = useQuery({
    ...admissionsQuery,
    // Its person is looking at the other screen.
    refetchInterval: ({ state }) => (find(state.data) === undefined ? lookMilliseconds : false),
    refetchIntervalInBackground: true,
  });
  const answered = find(open.data);
  if (answered !== undefined)
    return (
      <Next key="answered">
        <Finish admission={answered} context={context} member={member} onClose={onClose} />
      </Next>
    );
  return (
    <Next key="words">
      <h3 className="font-medium">{texts.wordsTitle}</h3>
      <ol className="grid list-decimal gap-1 pl-5">
        {texts.wordsSteps(`${window.location.origin}${pages.join.path}`).map((step) => (
          <li className="wrap-anywhere" key={step}>
            {step}
          </li>
        ))}
      </ol>
      <WordList label={texts.wordsList} testId="admission-words" words={words} />
      <QrCode className="size-64 max-w-full" content={url} label={texts.qr} />
      <p className="text-muted text-sm">{texts.wordsHint(name)}</p>
      <p role="status">{texts.wordsWaiting(name)}</p>
      <div>
        <Button onClick={() => onClose()}>{texts.wordsClose}</Button>
      </div>
    </Next>
  );
}
