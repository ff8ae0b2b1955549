import { SealpostForm, useSealpost } from "@sealpost/embed/react";
import { type FormHTMLAttributes, type ReactNode, useState } from "react";
import { createRoot } from "react-dom/client";

// A page of React, bundled by react-cases.ts once for each version of React. Without an endpoint it has no embed, and the browser posts.

export const views = ["Plain", "Locked", "Spinner", "Steps", "Component", "Slots", "Controlled"] as const;

export interface ReactSettings {
  readonly view: (typeof views)[number];
  readonly formId: string;
  /** Empty: no embed. */
  readonly endpoint: string;
}

declare global {
  var reactSettings: ReactSettings;
}

const { view, formId, endpoint } = globalThis.reactSettings;
const nativeForm: FormHTMLAttributes<HTMLFormElement> = {
  action: "/receive",
  method: "post",
  encType: "multipart/form-data",
};

/** A form that `useSealpost` sends, or the browser itself. */
interface Bound {
  readonly isSending: boolean;
  readonly said: string;
  readonly form: FormHTMLAttributes<HTMLFormElement>;
}

function useSealed(): Bound {
  const { state, ref } = useSealpost(formId, { endpoint });
  const said = state.status === "sent" || state.status === "failed" ? state.message : "";
  const attributes: object = { ref };
  return { isSending: state.status === "sending", said, form: attributes };
}

const useNative = (): Bound => ({ isSending: false, said: "", form: nativeForm });
const useForm = endpoint === "" ? useNative : useSealed;

function Said({ text }: { readonly text: string }): ReactNode {
  return <output>{text}</output>;
}

function Message(): ReactNode {
  return (
    <label>
      Message <textarea name="message" />
    </label>
  );
}

const Send = (): ReactNode => (
  <button type="submit" name="by" value={view}>
    Send
  </button>
);

function Plain(): ReactNode {
  const { form, said } = useForm();
  return (
    <form {...form}>
      <Message />
      <Send />
      <Said text={said} />
    </form>
  );
}

/** Locks its fields while they are being sent. */
function Locked(): ReactNode {
  const { isSending, form, said } = useForm();
  return (
    <form {...form}>
      <fieldset disabled={isSending}>
        <Message />
        <input type="hidden" name="locked" value={String(isSending)} />
      </fieldset>
      <Send />
      <Said text={said} />
    </form>
  );
}

/** Shows something else in place of its button. */
function Spinner(): ReactNode {
  const { isSending, form, said } = useForm();
  return (
    <form {...form}>
      <Message />
      {isSending ? <p>Sending …</p> : <Send />}
      <Said text={said} />
    </form>
  );
}

/** Takes its fields away, as a wizard does. */
function Steps(): ReactNode {
  const { isSending, form, said } = useForm();
  return (
    <form {...form}>
      {isSending ? (
        <p>One moment …</p>
      ) : (
        <>
          <Message />
          <Send />
        </>
      )}
      <Said text={said} />
    </form>
  );
}

/** Its state is React's, and so are its values. */
function Controlled(): ReactNode {
  const { isSending, form, said } = useForm();
  const [text, setText] = useState("");
  return (
    <form {...form}>
      <label>
        Message{" "}
        <textarea name="message" value={text} readOnly={isSending} onChange={(event) => setText(event.target.value)} />
      </label>
      <input type="hidden" name="length" value={text.length} />
      <Send />
      <Said text={said} />
    </form>
  );
}

function Component(): ReactNode {
  if (endpoint === "")
    return (
      <form {...nativeForm}>
        <fieldset>
          <Message />
        </fieldset>
        <Send />
      </form>
    );
  return (
    <SealpostForm formId={formId} options={{ endpoint }}>
      {({ state }) => (
        <>
          <fieldset disabled={state.status === "sending"}>
            <Message />
          </fieldset>
          <Send />
        </>
      )}
    </SealpostForm>
  );
}

/** Slots as JSX writes them: `data-sealpost-success` becomes `="true"`. */
function Slots(): ReactNode {
  const content = (
    <>
      <Message />
      <Send />
    </>
  );
  if (endpoint === "") return <form {...nativeForm}>{content}</form>;
  return (
    <SealpostForm formId={formId} options={{ endpoint }}>
      <p data-sealpost-unavailable>Loading. If this stays, the form could not be loaded.</p>
      {content}
      <p id="success" data-sealpost-success />
      <p id="error" data-sealpost-error />
    </SealpostForm>
  );
}

const all = { Plain, Locked, Spinner, Steps, Component, Slots, Controlled } satisfies Record<
  ReactSettings["view"],
  unknown
>;
const View = all[view];
const root = document.querySelector("#root");
if (root) createRoot(root).render(<View />);
