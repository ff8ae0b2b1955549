import { Link } from "@tanstack/react-router";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

const { admissions } = text;

const texts = admissions.join;

/** While this tab still keeps a link by which its person was to be brought in: what is left to do. */
export default function UnfinishedJoin() {
  return (
    <Notice
      action={
        <Link className={buttonClass()} to="/join">
          {texts.unfinishedLink}
        </Link>
      }
      title={texts.unfinishedTitle}
      tone="warning"
    >
      {texts.unfinished}
    </Notice>
  );
}
