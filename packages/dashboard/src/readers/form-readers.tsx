import type { Form } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { OpenedForm } from "../envelopes/open-form.ts";
import { membersQuery } from "../organization/member-queries.ts";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Awaited } from "../ui/page.tsx";
import { AddProgram } from "./add-program.tsx";
import { ChangeFormReaders } from "./change-form-readers.tsx";
import { ReaderName } from "./reader-name.tsx";
import { findReaderDoubts, toReaderRows } from "./reader-rows.ts";

const { readers: texts } = text;

/** Who reads a form, and who could: by the signed list, with what the server says next to it. */
export function FormReaders({
  context,
  form,
  opened,
  onChanged,
}: {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly opened: OpenedForm;
  readonly onChanged: () => void;
}) {
  const [asked, setAsked] = useState<"readers" | "program">();
  const may = useMay();
  const listed = useQuery({ ...membersQuery, enabled: may("listMembers") });
  const granted = listed.data?.members ?? [];
  const { members } = opened.list.list;
  const rows = toReaderRows(members, opened.envelopes, granted, form.id, findReaderDoubts(opened));
  const reading = rows.filter(({ reads }) => reads !== "none");
  const strangers = granted.filter(({ id, role }) => !members.has(id) && role !== "developer" && role !== "auditor");
  const isOutdated = opened.envelopes.some(({ outdated }) => outdated.length > 0);
  const mayChange = may("rotateFormKeys") && opened.refused.length === 0 && opened.list.kind === "checked";
  const close = () => {
    setAsked(undefined);
    onChanged();
  };
  return (
    <div className="grid gap-3">
      <h3 className="font-medium">{texts.title}</h3>
      {isOutdated && (
        <Notice title={texts.outdatedTitle} tone="warning">
          {texts.outdated}
        </Notice>
      )}
      <ul aria-label={texts.title} className="divide-y divide-line">
        {reading.map((row) => (
          <li className="flex flex-wrap items-center gap-x-2.5 gap-y-1 py-2" key={row.id}>
            <ReaderName isSelf={row.id === opened.list.own.id} row={row} />
          </li>
        ))}
      </ul>
      {listed.isLoading && <Awaited />}
      <Strangers names={strangers.map(({ name, email }) => name || email)} />
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setAsked("readers")}>{texts.change.action}</Button>
          <Button onClick={() => setAsked("program")}>{texts.program.action}</Button>
        </div>
      )}
      {asked === "readers" && <ChangeFormReaders {...{ context, form, rows }} onClose={close} self={opened.list.own} />}
      {asked === "program" && <AddProgram context={context} form={form} list={opened.list.list} onClose={close} />}
    </div>
  );
}

/** People whom the server calls members, and whom the signed list does not have. */
function Strangers({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p className="text-muted text-sm">
      {texts.strangers(names)}{" "}
      <Link className="font-medium text-accent underline" to="/members">
        {texts.membersLink}
      </Link>
    </p>
  );
}
