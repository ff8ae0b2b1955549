import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { memberListTextQuery } from "../organization/member-queries.ts";
import { useMay } from "../organization/membership.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { listRoomOf } from "./list-room.ts";

const BeginPart = lazy(loading(() => import("../readers/begin-part.tsx")));

/** The notice about a list that fills up, and the dialog to which it leads owners; `isShown`: there is one of them. */
export function useListRoom(onEnd: () => void): {
  readonly notice: ReactNode;
  readonly dialog: ReactNode;
  readonly isShown: boolean;
} {
  const mayBegin = useMay()("beginMemberListPart");
  const [isBeginning, setIsBeginning] = useState(false);
  const room = listRoomOf(useQuery(memberListTextQuery).data, mayBegin);
  const end = () => {
    setIsBeginning(false);
    onEnd();
  };
  return {
    isShown: room !== undefined || isBeginning,
    notice: room !== undefined && (
      <RoomNotice onBegin={mayBegin ? () => setIsBeginning(true) : undefined} room={room} />
    ),
    dialog: isBeginning && (
      <Suspense>
        <BeginPart onClose={end} />
      </Suspense>
    ),
  };
}

/** How full the list is, with the way to make room for owners. */
function RoomNotice({ room, onBegin }: { readonly room: string; readonly onBegin: (() => void) | undefined }) {
  return (
    <Notice
      action={
        onBegin && (
          <Button onClick={onBegin} small>
            {text.admissions.listRoom.begin}
          </Button>
        )
      }
      tone="warning"
    >
      {room}
    </Notice>
  );
}
