import {
  createNewDevice,
  formatDeviceCode,
  openDeviceHeads,
  type PublicHalves,
  RefusalError,
} from "@sealpost/envelope";
import { openCopy } from "@sealpost/vault";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { loadHeads, loadSeenKeys } from "../envelopes/heads.ts";
import { holdPersonalKey } from "../personal-key/personal-key.ts";
import { startKeyWorker } from "../personal-key/start-key-worker.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { deviceApi } from "./device-client.ts";
import { DeviceCode } from "./device-code.tsx";
import { takeDeviceHeads } from "./device-heads.ts";
import { noteHandedOver } from "./handed-over.ts";
import { createReceiver, type Receiver, type Receiving } from "./receive-key.ts";

const { devices } = text;

const texts = devices.receive;
export const lookMilliseconds = 1500;

interface Asking {
  readonly receiver: Receiver;
  readonly identity: string;
  readonly code: string;
}

/** Gets the key from a device on which it is open. `expected`: the key that this browser has seen, if it has. */
export function ReceiveDevice({
  personId,
  expected,
  onOpen,
}: {
  readonly personId: string;
  readonly expected: PublicHalves | undefined;
  readonly onOpen?: () => void;
}) {
  const asking = useMutation({
    mutationFn: async (): Promise<Asking> => {
      const device = await createNewDevice();
      const receiver = await createReceiver(deviceApi, personId, device);
      return { receiver, identity: device.identity, code: formatDeviceCode(device) };
    },
  });
  return (
    <div className="grid gap-4">
      <p className="text-muted">{texts.intro}</p>
      {asking.isError && <ErrorNotice error={asking.error} />}
      {asking.data === undefined ? (
        <div>
          <Button look="primary" onClick={() => asking.mutate()} pending={asking.isPending}>
            {texts.start}
          </Button>
        </div>
      ) : (
        <Following
          asking={asking.data}
          expected={expected}
          key={asking.data.receiver.requestId}
          onAgain={() => asking.mutate()}
          personId={personId}
          {...(onOpen && { onOpen })}
        />
      )}
    </div>
  );
}

interface FollowingProps {
  readonly asking: Asking;
  readonly personId: string;
  readonly expected: PublicHalves | undefined;
  readonly onAgain: () => void;
  readonly onOpen?: () => void;
}

function Following({ asking, personId, expected, onAgain, onOpen }: FollowingProps) {
  const { receiver, identity, code } = asking;
  const [isRefused, setIsRefused] = useState(false);
  const looking = useQuery({
    queryKey: ["receive-device", receiver.requestId],
    queryFn: async () => {
      const now = await receiver.look();
      if (now.kind !== "answered") return now;
      await open(now, { identity, personId, expected, receiver });
      onOpen?.();
      return now;
    },
    refetchInterval: ({ state }) => (isOver(state.data) || state.error !== null ? false : lookMilliseconds),
    // Its person is looking at the other device.
    refetchIntervalInBackground: true,
    retry: false,
    gcTime: 0,
  });
  const { data, error } = looking;
  if (error instanceof RefusalError) return <Ended onAgain={onAgain} sentence={describeRefusal(error)} />;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => looking.refetch()} />;
  if (isRefused || data?.kind === "wrong") return <Ended onAgain={onAgain} sentence={texts.wrong} />;
  switch (data?.kind) {
    case "ended":
      return <Ended onAgain={onAgain} sentence={texts.ended} />;
    case "asked":
      return (
        <AskScanned
          onSay={(isScanned) => {
            receiver.say(isScanned);
            void looking.refetch();
          }}
        />
      );
    case "compare":
      return (
        <CompareCodes
          code={data.code}
          hint={texts.compareHint}
          onDiffers={() => {
            setIsRefused(true);
            void deviceApi.end(receiver.requestId).catch(() => undefined);
          }}
          onSame={() => {
            receiver.confirm();
            void looking.refetch();
          }}
          same={texts.same}
          differs={texts.differs}
          title={texts.compareTitle}
        />
      );
    case "trusted":
      return data.isScanned ? <ScannedCode code={data.code} /> : <p role="status">{texts.trusted}</p>;
    case "answered":
      return <p role="status">{texts.opening}</p>;
    default:
      return (
        <>
          <ol className="grid list-decimal gap-1 pl-5">
            {texts.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <QrCode className="size-64 max-w-full" content={code} label={texts.code} />
          <p className="text-muted" role="status">
            {texts.waiting}
          </p>
        </>
      );
  }
}

function describeRefusal({ reason }: RefusalError): string {
  if (reason === "unknown_extension") return texts.newer;
  return reason === "other_key" ? texts.otherKey : texts.wrong;
}

function isOver(state: Receiving | undefined): boolean {
  return state !== undefined && ["answered", "ended", "wrong"].includes(state.kind);
}

/** Asked before anything of the other device's answer is taken: the server, which passes it on, could take the proof away. */
function AskScanned({ onSay }: { readonly onSay: (isScanned: boolean) => void }) {
  return (
    <section aria-label={texts.askTitle} className="grid gap-3">
      <h3 className="font-medium">{texts.askTitle}</h3>
      <p className="text-muted">{texts.askHint}</p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => onSay(true)}>
          {texts.askScanned}
        </Button>
        <Button onClick={() => onSay(false)}>{texts.askCompare}</Button>
      </div>
    </section>
  );
}

/** The key could come from anyone who saw the code, not only from the other device, which then shows other digits. */
function ScannedCode({ code }: { readonly code: string }) {
  return (
    <section aria-label={texts.scannedTitle} className="grid gap-3">
      <h3 className="font-medium">{texts.scannedTitle}</h3>
      <DeviceCode code={code} />
      <p className="text-muted">{texts.scannedHint}</p>
      <p className="text-muted" role="status">
        {texts.trusted}
      </p>
    </section>
  );
}

/** The digits, and what the person says of them. */
export function CompareCodes({
  title,
  hint,
  code,
  same,
  differs,
  isPending = false,
  onSame,
  onDiffers,
}: {
  readonly title: string;
  readonly hint: string;
  readonly code: string;
  readonly same: string;
  readonly differs: string;
  readonly isPending?: boolean;
  readonly onSame: () => void;
  readonly onDiffers: () => void;
}) {
  return (
    <section aria-label={title} className="grid gap-3">
      <h3 className="font-medium">{title}</h3>
      <DeviceCode code={code} />
      <p className="text-muted">{hint}</p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onSame} pending={isPending}>
          {same}
        </Button>
        <Button onClick={onDiffers}>{differs}</Button>
      </div>
    </section>
  );
}

function Ended({ sentence, onAgain }: { readonly sentence: string; readonly onAgain: () => void }) {
  return (
    <Notice
      action={
        <Button onClick={onAgain} small>
          {texts.again}
        </Button>
      }
      role="alert"
      tone="warning"
    >
      {sentence}
    </Notice>
  );
}

/** Opens the key of the challenge and no other. Rejects with a `RefusalError`. */
async function open(
  { challenge, copy, heads: headsFile, code }: Extract<Receiving, { kind: "answered" }>,
  by: {
    readonly identity: string;
    readonly personId: string;
    readonly receiver: Receiver;
    readonly expected: PublicHalves | undefined;
  },
): Promise<void> {
  const { identity, personId, expected } = by;
  const { requestId, commitment } = by.receiver;
  const { recipient, signingKey } = challenge;
  const isOther = expected !== undefined && (expected.recipient !== recipient || expected.signingKey !== signingKey);
  if (isOther) throw new RefusalError("other_key");
  const seen = await openDeviceHeads(headsFile, identity, { commitment, personId, signingKey });
  if (seen instanceof RefusalError) throw seen;
  const worker = startKeyWorker();
  try {
    const halves = await openCopy(worker, { file: copy, secret: { identity }, expected: { recipient, signingKey } });
    await (await loadSeenKeys()).rememberPublicHalves(personId, halves);
    await takeDeviceHeads(await loadHeads(personId, halves), seen.heads);
    noteHandedOver(code, seen.leftOut);
    await holdPersonalKey(worker, halves);
  } catch (error) {
    worker.end();
    throw error;
  }
  await deviceApi.end(requestId).catch(() => undefined);
}
