import { copyBytesMax } from "@sealpost/envelope/form";
import { Type } from "typebox";
import { closed, Milliseconds, reference } from "../http/schemas.ts";
import { firstCopiesMax, ways } from "./personal-key.ts";

const Way = Type.Enum([...ways], {
  description:
    "How it opens: with a passphrase, a passkey, the recovery sheet, or another device. The file's one stanza is of that kind (specification, section 16).",
});
const Recipient = { description: "A hybrid recipient of age, `age1pq1…`." };
const SigningKey = { description: "A public key of Ed25519, base64url of 32 bytes." };
const File = {
  description: `The sealed copy: an age file of at most ${copyBytesMax} bytes, in base64url without padding.`,
};

export const KeyCopyBody = closed(
  {
    id: Type.String({ description: "The copy's id, `copy_…`." }),
    way: Way,
    name: Type.String(),
    createdAt: Milliseconds,
    removedAt: Type.Union([Milliseconds, Type.Null()], { description: "Null: it can be fetched and opened." }),
    restorableUntil: Type.Union([Milliseconds, Type.Null()], {
      description: "Until when one that was removed can be restored.",
    }),
  },
  { $id: "KeyCopy", description: "A sealed copy of a personal key, without its file." },
);

const FormerKey = closed(
  {
    recipient: Type.String(Recipient),
    signingKey: Type.String(SigningKey),
    createdAt: Milliseconds,
    replacedAt: Milliseconds,
    restorableUntil: Milliseconds,
    copyId: Type.Union([Type.String(), Type.Null()], {
      description: "The id of a copy of this key that the one in its place opens; null where none was sent.",
    }),
    copies: Type.Array(reference(KeyCopyBody), { description: "They come back with the key." }),
  },
  { description: "A key that another one has replaced." },
);

export const PersonalKeyBody = closed(
  {
    personalKey: Type.Union(
      [
        closed({
          recipient: Type.String(Recipient),
          signingKey: Type.String(SigningKey),
          createdAt: Milliseconds,
        }),
        Type.Null(),
      ],
      { description: "The public halves; null while the person has no key." },
    ),
    copies: Type.Array(reference(KeyCopyBody), {
      description: "The oldest first; those too that were removed and can still be restored.",
    }),
    formerKeys: Type.Array(FormerKey, {
      description: "Keys that were replaced and can still be brought back, the newest first.",
    }),
  },
  { $id: "PersonalKey", description: "Public halves of a person's own key, and the list of its sealed copies." },
);

export const KeyCopyFileBody = closed(
  { file: Type.String(File) },
  { $id: "KeyCopyFile", description: "A sealed copy of a personal key." },
);

/** Base64url has four letters for three bytes. */
const fileLengthMax = Math.ceil((copyBytesMax * 4) / 3);

const keyCopyInput = {
  way: Way,
  name: Type.String({ description: "1 to 60 characters, on one line." }),
  file: Type.String({ ...File, maxLength: fileLengthMax }),
};

const signingKeyInput = Type.String({ ...SigningKey, maxLength: 43 });

export const KeyCopyToAdd = closed({
  ...keyCopyInput,
  signingKey: Type.Optional(
    Type.String({ maxLength: 43, description: "That of the key in the copy: refused (409) if another key is in use." }),
  ),
});

const personalKeyInput = {
  recipient: Type.String({ ...Recipient, maxLength: 2000 }),
  signingKey: signingKeyInput,
  copies: Type.Array(closed(keyCopyInput), {
    minItems: 1,
    maxItems: firstCopiesMax,
    description: "The first copies, one of them for a recovery sheet.",
  }),
};

export const PersonalKeyInput = closed(personalKeyInput);

const inPlace = {
  replaces: Type.String({
    maxLength: 43,
    description: "The signing key of the key in use: refused (409) if that is another by now.",
  }),
  formerCopy: Type.Optional(
    Type.String({
      ...File,
      maxLength: fileLengthMax,
      description: "The key in use, sealed for the recipient of the one that takes its place.",
    }),
  ),
};

/** More organizations than anybody belongs to. */
const signedHeadsMax = 64;
/** A real one has some 370. As many as that have room in a body of 65,536 bytes, with the key and its copies. */
const sentHeadLengthMax = 512;

export const PersonalKeyReplacement = closed({
  ...personalKeyInput,
  ...inPlace,
  signedHeads: Type.Optional(
    Type.Array(
      closed({
        organizationId: Type.String({ description: "The organization's id, `acc_…`." }),
        signedHead: Type.String({
          maxLength: sentHeadLengthMax,
          description: "Its two lines, each with its line feed.",
        }),
      }),
      {
        maxItems: signedHeadsMax,
        description:
          "Heads of signed lists, signed with the new key (SPECIFICATION.md section 22), one for each organization. Those that don't fit are left out.",
      },
    ),
  ),
});

export const PersonalKeyRestoring = closed({ signingKey: signingKeyInput, ...inPlace });

export const KeyCopyIdParameters = closed({ copy_id: Type.String({ description: "The copy's id, `copy_…`." }) });

export const keyCopyAnswer = closed({ copy: reference(KeyCopyBody) });
