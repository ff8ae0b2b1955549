import { findFirstSights, type StoredEnvelope } from "@sealpost/sdk/envelopes";
import type { FoundList } from "../envelopes/found-list.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import type { FormOpening, OpenedForm } from "../envelopes/open-form.ts";
import { useMay } from "../organization/membership.ts";
import type { EnvelopeRefusal } from "../refusals.ts";
import { type RefusalText, text } from "../texts/text.ts";
import { HelpLink } from "../ui/help-link.tsx";
import { Notice } from "../ui/notice.tsx";
import { AcceptList } from "./accept-list.tsx";

const { envelopeRefusals, listRefusals, envelopes: texts } = text;

/** Says why an envelope was not accepted, and what to do. */
export function EnvelopeRefused({ reason }: { readonly reason: EnvelopeRefusal }) {
  return <Refused {...envelopeRefusals[reason]} />;
}

/** Says why there is no list of members to go by, and what to do. */
export function ListRefused({ list }: { readonly list: Exclude<FoundList, CheckedList> }) {
  if (list.kind === "refused")
    return (
      <>
        <Refused {...listRefusals[list.reason]} />
        <AcceptList reason={list.reason} />
      </>
    );
  const [title, hint] = describe(list);
  return (
    <Notice role="alert" title={title}>
      <p>{hint}</p>
      {list.kind === "for_reading" && (
        <p>
          <HelpLink page="listForReading">{texts.forReadingMore}</HelpLink>
        </p>
      )}
    </Notice>
  );
}

/** The same in a line, where the page says it already, or next to what is left out. */
export function ForReading() {
  return (
    <p className="text-muted">
      {texts.forReading}. <HelpLink page="listForReading">{texts.forReadingMore}</HelpLink>
    </p>
  );
}

function describe(list: Exclude<FoundList, CheckedList | { kind: "refused" }>): readonly string[] {
  if (list.kind === "for_reading") return [texts.forReading, texts.forReadingHint];
  return list.kind === "none" ? [texts.noList, texts.noListHint] : describeStranger(list);
}

/** Somebody whom the server says to be in the list needs something else than who was never brought in. */
function describeStranger({ admitters, isNamed }: Extract<FoundList, { kind: "stranger" }>): readonly string[] {
  return isNamed ? [texts.named, texts.namedHint(admitters)] : [texts.stranger, texts.strangerHint(admitters)];
}

/** An envelope that was sent and can't be read back: why. */
export function StoredUnread({ reason }: { readonly reason: Extract<StoredEnvelope, { kind: "unread" }>["reason"] }) {
  if (reason !== "other_published_key") return <EnvelopeRefused reason={reason} />;
  return <Refused hint={texts.otherPublishedHint} title={texts.otherPublished} />;
}

/** Everything about a form's envelopes that a person has to know, and nothing where all is in order. `isShowingFirst`: the page shows those to look at itself. */
export function OpeningNotices({
  opening,
  isShowingFirst = false,
}: {
  readonly opening: FormOpening;
  readonly isShowingFirst?: boolean;
}) {
  if (opening.kind === "none") return null;
  if (opening.kind === "list")
    return (
      <>
        {opening.isMoved && <EnvelopeRefused reason="moved_form" />}
        {opening.isMoved && opening.list.kind === "none" ? null : <ListRefused list={opening.list} />}
      </>
    );
  const shown = isShowingFirst ? findFirstSights(opening).map(({ firstVersion }) => firstVersion) : [];
  const refused = opening.refused.filter(({ firstVersion }) => !shown.includes(firstVersion));
  return (
    <>
      {refused.map(({ firstVersion, reason }) => (
        <EnvelopeRefused key={firstVersion} reason={reason} />
      ))}
      <KeyNotices {...opening} isShowingFirst={isShowingFirst} />
    </>
  );
}

function KeyNotices({
  otherKeys,
  otherThanLogged,
  missing,
  seenAgain,
  isShowingFirst,
}: Pick<OpenedForm, "otherKeys" | "otherThanLogged" | "missing" | "seenAgain"> & { readonly isShowingFirst: boolean }) {
  return (
    <>
      {seenAgain.length > 0 && !isShowingFirst && (
        <Notice role="alert" title={texts.seenAgain.title} tone="warning">
          {texts.seenAgain.hint}
        </Notice>
      )}
      {otherKeys.length > 0 && (
        <Refused hint={texts.otherKeysHint} hintOthers={texts.otherKeysOthers} title={texts.otherKeys(otherKeys)} />
      )}
      {otherThanLogged.length > 0 && (
        <Notice role="alert" title={texts.otherThanLogged(otherThanLogged)} tone="warning">
          {texts.otherThanLoggedHint}
        </Notice>
      )}
      {missing.length > 0 && <Notice title={texts.missing(missing)}>{texts.missingHint}</Notice>}
    </>
  );
}

export function Refused({ title, hint, hintOthers = hint }: RefusalText) {
  const mayRotate = useMay()("rotateFormKeys");
  return (
    <Notice role="alert" title={title} tone="danger">
      {mayRotate ? hint : hintOthers}
    </Notice>
  );
}
