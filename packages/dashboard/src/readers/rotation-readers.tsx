import type { LeftOut, ShownRotation } from "@sealpost/sdk/envelopes";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";

const { shownRotation: words } = text.readers;

/** Who will read with the new key, and who will not: before a rotation is signed. */
export function RotationReaders({ shown: { readers, leftOut } }: { readonly shown: ShownRotation }) {
  return (
    <section aria-label={words.title} className="grid gap-2">
      <h3 className="font-semibold">{words.title}</h3>
      <ReaderList readers={readers} />
      <LeftOutList leftOut={leftOut} />
      <p className="text-muted">{words.hint}</p>
    </section>
  );
}

export function ReaderList({ readers }: Pick<ShownRotation, "readers">) {
  return (
    <ul aria-label={words.title} className="list-disc pl-5">
      {readers.map((reader) => (
        <li className="wrap-anywhere" key={reader.id}>
          <bdi>{shownName(reader)}</bdi>
        </li>
      ))}
    </ul>
  );
}

export function LeftOutList({ leftOut }: { readonly leftOut: readonly LeftOut[] }) {
  if (leftOut.length === 0) return null;
  return (
    <>
      <p>{words.leftOut}</p>
      <ul aria-label={words.leftOut} className="list-disc pl-5">
        {leftOut.map((one) => (
          <li className="wrap-anywhere" key={one.id}>
            <bdi>{shownName(one)}</bdi>: {words.reasons[one.reason]}
          </li>
        ))}
      </ul>
    </>
  );
}

/** As many names are in sight in a list of forms. */
const namesInSight = 6;

/** The same in a row of many forms. */
export function FormReaders({ shown: { readers, leftOut } }: { readonly shown: ShownRotation }) {
  return (
    <div className="w-full text-muted text-sm">
      {readers.length > namesInSight ? (
        <details>
          <summary className="cursor-pointer py-1.5 pointer-coarse:min-h-11">{words.count(readers.length)}</summary>
          <ReaderList readers={readers} />
        </details>
      ) : (
        <p className="wrap-anywhere">
          {words.title}:{" "}
          {readers.map((reader, index) => [index > 0 && ", ", <bdi key={reader.id}>{shownName(reader)}</bdi>])}
        </p>
      )}
      <LeftOutList leftOut={leftOut} />
    </div>
  );
}
