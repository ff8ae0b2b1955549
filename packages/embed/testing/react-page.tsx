import "@sealpost/embed/key-log";
import { type Sealpost, SealpostForm, type SealpostOptions, useSealpost } from "@sealpost/embed/react";
import { type ReactNode, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

// A React page, bundled by react.test.ts, which puts its settings before it.

export interface ReactPageSettings {
  readonly view: "hook" | "component" | "two";
  readonly isStrict: boolean;
  readonly formId: string;
  readonly options: SealpostOptions;
}

declare global {
  var settings: ReactPageSettings;
  /** The calls of the callbacks. */
  var reports: string[];
}

globalThis.reports = [];
const { view, isStrict, formId, options } = settings;

function ByHook({ name }: { readonly name: string }): ReactNode {
  const [topic, setTopic] = useState("react");
  const sealpost: Sealpost = useSealpost(formId, {
    ...options,
    messages: { sent: "Merci" },
    onSuccess: () => reports.push(`sent with ${topic}`),
  });
  const { state } = sealpost;
  if (state.status === "sent" && options.resetOnSuccess === undefined)
    return (
      <p id={`${name}-thanks`}>
        {state.message}
        <button type="button" onClick={sealpost.reset}>
          Another
        </button>
      </p>
    );
  return (
    <form ref={sealpost.ref} id={name}>
      <input name="mail" type="email" defaultValue={`${name}@example.com`} />
      <input name="cv" type="file" />
      <input name="topic" value={topic} onChange={(event) => setTopic(event.target.value)} />
      <button type="submit" disabled={state.status === "sending"}>
        Send
      </button>
      <button type="button" onClick={sealpost.reset}>
        Reset
      </button>
      <output>{JSON.stringify(state)}</output>
    </form>
  );
}

function ByComponent(): ReactNode {
  return (
    <SealpostForm formId={formId} options={options} className="contact">
      {({ state, submit }) => (
        <>
          <input name="a" required defaultValue="1" />
          <button type="submit">Send</button>
          <button type="button" onClick={() => submit()}>
            Send too
          </button>
          <output>{state.status}</output>
        </>
      )}
    </SealpostForm>
  );
}

function Views(): ReactNode {
  const [isShown, setShown] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setShown(!isShown)}>
        Toggle
      </button>
      {isShown && view === "hook" && <ByHook name="one" />}
      {isShown && view === "component" && <ByComponent />}
      {isShown && view === "two" && (
        <>
          <ByHook name="one" />
          <ByHook name="two" />
        </>
      )}
    </>
  );
}

const root = document.querySelector("#root");
if (root)
  createRoot(root).render(
    isStrict ? (
      <StrictMode>
        <Views />
      </StrictMode>
    ) : (
      <Views />
    ),
  );
