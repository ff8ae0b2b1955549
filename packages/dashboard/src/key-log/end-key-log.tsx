import { acceptShownLog, giveUpKeyLog as giveUpWithoutKey } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { envelopeApi } from "../envelopes/envelope-api.ts";
import type { NamedForm } from "../envelopes/form-names.ts";
import { loadHeadsToChange } from "../envelopes/heads.ts";
import { giveUpKeyLog } from "../envelopes/name-key-log.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { findOpenHalves } from "../personal-key/personal-key.ts";
import { FormNames } from "../readers/form-names.tsx";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";

const { keyLog: texts } = text;

interface EndProps {
  readonly formId: string;
  readonly onDone: (sentence?: string) => Promise<void>;
}

/** For who knows why the server shows another log than this browser has seen. */
export function AcceptKeyLog({ formId, onDone }: EndProps) {
  const { user } = useSession();
  return (
    <Asked
      action={texts.accept}
      intro={texts.acceptIntro}
      onDone={onDone}
      submit={texts.acceptSubmit}
      title={texts.acceptTitle}
      work={async () => {
        const heads = await loadHeadsToChange(user.id, findOpenHalves());
        await acceptShownLog({ api: envelopeApi, heads }, formId as FormId); // the server names no other
        return undefined;
      }}
    />
  );
}

interface GiveUpProps {
  readonly form: NamedForm;
  readonly onDone: (sentence: string) => Promise<void>;
  /** With an open personal key the form's envelope says it too. */
  readonly context: EnvelopeContext | undefined;
}

export function GiveKeyLogUp({ context, form, onDone }: GiveUpProps) {
  const { user } = useSession();
  const formId = form.id as FormId; // the server names no other
  return (
    <Asked
      action={texts.giveUp}
      form={form}
      intro={texts.giveUpIntro}
      onDone={(sentence = texts.givenUp) => onDone(sentence)}
      submit={texts.giveUpSubmit}
      title={texts.giveUpTitle}
      work={async () => {
        const { mayBeNamed } = context
          ? await giveUpKeyLog(context, formId)
          : await giveUpWithoutKey(
              { api: envelopeApi, heads: await loadHeadsToChange(user.id, findOpenHalves()) },
              formId,
            );
        return mayBeNamed ? `${texts.givenUp} ${texts.givenUpNamed}` : undefined;
      }}
    />
  );
}

function Asked({
  action,
  title,
  form,
  intro,
  submit,
  work,
  onDone,
}: {
  readonly action: string;
  readonly title: string;
  readonly form?: NamedForm;
  readonly intro: string;
  readonly submit: string;
  /** Gives what has to be said in the place of the usual sentence. */
  readonly work: () => Promise<string | undefined>;
  readonly onDone: (sentence?: string) => Promise<void>;
}) {
  const [isAsking, setIsAsking] = useState(false);
  const doing = useMutation({
    mutationFn: work,
    onSuccess: (sentence) => {
      setIsAsking(false);
      return onDone(sentence);
    },
  });
  return (
    <>
      <Button className="justify-self-start" look="quiet" onClick={() => setIsAsking(true)}>
        {action}
      </Button>
      {isAsking && (
        <ActionDialog
          action={submit}
          isPending={doing.isPending}
          look="danger"
          onClose={() => setIsAsking(false)}
          onConfirm={() => doing.mutate()}
          title={title}
        >
          {form && <FormNames form={form} />}
          <p>{intro}</p>
          {doing.isError && <ErrorNotice error={doing.error} />}
        </ActionDialog>
      )}
    </>
  );
}
