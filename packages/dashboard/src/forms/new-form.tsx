import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { text } from "../texts/text.ts";
import { Skeleton } from "../ui/page.tsx";
import { part } from "../ui/part.tsx";
import { NewFormPage } from "./new-form-page.tsx";

const { envelopes: texts } = text;

const NewFormWithKey = part(() => import("./new-form-with-key.tsx"));

/** A new form: on one screen for somebody who has a personal key, else in three steps with a key file. */
export function NewForm() {
  const key = usePersonalKey();
  const [isWithFile, setIsWithFile] = useState(false);
  const waiting = <Skeleton className="mx-auto h-64 w-full max-w-2xl" />;
  if (key.kind === "unknown" && !key.error) return waiting;
  if (isWithFile || key.kind === "unknown") return <NewFormPage />;
  if (key.kind === "none") return <NewFormPage note={<Pointer />} />;
  return <NewFormWithKey fallback={waiting} onUseFile={() => setIsWithFile(true)} />;
}

function Pointer() {
  return (
    <p className="text-muted text-sm">
      {texts.create.withKey}{" "}
      <Link className="font-medium text-accent underline" to="/account/key">
        {texts.section.noKeyLink}
      </Link>
    </p>
  );
}
