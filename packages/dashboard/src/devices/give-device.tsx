import { type NewDevice, type PublicHalves, parseDeviceCode } from "@sealpost/envelope";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { mayHaveArrived } from "../api/describe-error.ts";
import { askPersonalKey, openHalves } from "../personal-key/personal-key.ts";
import { ScanButton } from "../scanner/scan-button.tsx";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";
import { isOver } from "./device-api.ts";
import { deviceApi } from "./device-client.ts";
import { DeviceCode } from "./device-code.tsx";
import { collectHeads } from "./device-heads.ts";
import { createGiver, findAsking, type Giver, type Giving } from "./give-key.ts";
import { CompareCodes, lookMilliseconds } from "./receive-device.tsx";

const { devices } = text;

const texts = devices.give;
type Scanned = Pick<NewDevice, "commitment" | "secret">;

/** Gives the open key to another device of its person. */
export function GiveDevice({ own, onEnd }: { readonly own: PublicHalves; readonly onEnd: () => void }) {
  const { user } = useSession();
  const [notice, setNotice] = useState("");
  const beginning = useMutation({
    meta: { changesNothing: true },
    mutationFn: async (scanned: Scanned | undefined): Promise<Giver | undefined> => {
      setNotice("");
      const request = await findAsking(deviceApi);
      if (request === undefined) setNotice(texts.none);
      return request && createGiver(deviceApi, user.id, own, request, scanned);
    },
  });
  return (
    <div className="card p-5 sm:p-7">
      <Step intro={texts.intro} title={texts.title}>
        {notice !== "" && (
          <Notice role="alert" tone="warning">
            {notice}
          </Notice>
        )}
        {beginning.isError && <ErrorNotice error={beginning.error} />}
        {beginning.data === undefined ? (
          <div className="flex flex-wrap gap-2">
            <ScanButton
              look="primary"
              onScanned={(content) => {
                const scanned = parseDeviceCode(content);
                if (scanned === undefined) setNotice(texts.scanned);
                else beginning.mutate(scanned);
              }}
            >
              {texts.scan}
            </ScanButton>
            <Button onClick={() => beginning.mutate(undefined)} pending={beginning.isPending}>
              {texts.compare}
            </Button>
          </div>
        ) : (
          <Following
            giver={beginning.data}
            key={beginning.data.requestId}
            onStop={(sentence) => {
              setNotice(sentence);
              beginning.reset();
            }}
            personId={user.id}
          />
        )}
        <StepButtons onBack={onEnd}>{null}</StepButtons>
      </Step>
    </div>
  );
}

/** Looks what the other device does, and gives it the key once somebody says so. */
function useGiving({ requestId, commitment, look }: Giver, personId: string) {
  /** Whether the other device may have the key, though that was not answered. */
  const isPerhapsGiven = useRef(false);
  const giving = useMutation({
    onError: (error) => {
      isPerhapsGiven.current ||= mayHaveArrived(error);
    },
    mutationFn: async ({ recipient }: { readonly recipient: string }) => {
      const copy = await askPersonalKey("sealCopy", { recipient });
      const heads = await collectHeads(openHalves());
      const sealed = await askPersonalKey("sealHeads", { heads, commitment, personId, recipient });
      await deviceApi.answer(requestId, { copy, heads: sealed });
    },
  });
  const looking = useQuery({
    queryKey: ["give-device", requestId],
    queryFn: () => look(),
    refetchInterval: ({ state }) =>
      giving.isSuccess || isEnd(state.data) || state.error !== null ? false : lookMilliseconds,
    // Its person is looking at the other device.
    refetchIntervalInBackground: true,
    retry: false,
    gcTime: 0,
  });
  return { giving, looking, isPerhapsGiven };
}

function Following({
  giver,
  personId,
  onStop,
}: {
  readonly giver: Giver;
  readonly personId: string;
  readonly onStop: (sentence: string) => void;
}) {
  const { giving, looking, isPerhapsGiven } = useGiving(giver, personId);
  const { data, error } = looking;
  if (giving.isSuccess)
    return (
      <Notice role="status" title={texts.doneTitle} tone="good">
        {data?.kind === "scanned" && (
          <>
            {texts.doneCode}
            <DeviceCode code={data.code} />
          </>
        )}
        {texts.doneHint}
      </Notice>
    );
  if (giving.isError) return <NotGiven error={giving.error} onAgain={giving.reset} />;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => looking.refetch()} />;
  if (data === undefined || data.kind === "waiting") return <p role="status">{texts.waiting}</p>;
  const stop = (sentence: string) => {
    void deviceApi.end(giver.requestId).catch(() => undefined);
    onStop(sentence);
  };
  if (data.kind === "compare")
    return (
      <CompareCodes
        code={data.code}
        differs={texts.differs}
        hint={texts.compareHint}
        isPending={giving.isPending}
        onDiffers={() => stop(texts.wrong)}
        onSame={() => giving.mutate(data.reveal)}
        same={texts.give}
        title={texts.compareTitle}
      />
    );
  if (data.kind === "scanned")
    return (
      <ScannedDevice
        code={data.code}
        isPending={giving.isPending}
        onCancel={() => stop(texts.stopped)}
        onGive={() => giving.mutate(data.reveal)}
      />
    );
  return (
    <Notice role="alert" tone={data.kind === "ended" ? "warning" : "danger"}>
      {texts[data.kind === "ended" && isPerhapsGiven.current ? "endedUnsure" : data.kind]}
    </Notice>
  );
}

function NotGiven({ error, onAgain }: { readonly error: Error; readonly onAgain: () => void }) {
  if (!isOver(error)) return <ErrorNotice error={error} onRetry={onAgain} />;
  return (
    <Notice role="alert" tone="warning">
      {texts.ended}
    </Notice>
  );
}

function ScannedDevice({
  code,
  isPending,
  onGive,
  onCancel,
}: {
  readonly code: string;
  readonly isPending: boolean;
  readonly onGive: () => void;
  readonly onCancel: () => void;
}) {
  return (
    <section aria-label={texts.scannedTitle} className="grid gap-3">
      <h3 className="font-medium">{texts.scannedTitle}</h3>
      <DeviceCode code={code} />
      <p className="text-muted">{texts.scannedHint}</p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onGive} pending={isPending}>
          {texts.give}
        </Button>
        <Button onClick={onCancel}>{text.common.cancel}</Button>
      </div>
    </section>
  );
}

function isEnd(state: Giving | undefined): boolean {
  return state !== undefined && ["ended", "other", "wrong"].includes(state.kind);
}
