// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source text

import { type Mutant, mutantsOf } from "../../../../tests/support/mutants.ts";

const openedPiece = "await crypto.subtle.decrypt(nextParameters(), aes, ciphertext)";
const orPiece = (iv: string) =>
  `await ((parameters) => crypto.subtle.decrypt(parameters, aes, ciphertext).catch(() => crypto.subtle.decrypt({ ...parameters, iv: ${iv} }, aes, ciphertext)))(nextParameters())`;
const lines = "${formId}\\n${submissionId}\\n${fileId}\\n${size}`";
const derivation = "const { cipherKey, commitment } = await deriveCommitted(key, new Uint8Array(), binding);";
const isOther = "if (isFirst && !isCommitment(piece.subarray(0, commitmentBytes), commitment)) throw notOpened();";
const otherLength =
  "if (piece.length !== Math.min(sealedPieceBytes, sealedSize - index * sealedPieceBytes)) throw notOpened();";
const expectedLength = "Math.min(sealedPieceBytes, sealedSize - index * sealedPieceBytes)";
const cutToLength = `piece = piece.subarray(0, ${expectedLength});`;
const isIncomplete = "if (!pieces.isComplete()) throw notOpened();";

/** Sealed files; vectors/files.json. */
export const fileMutants: readonly Mutant[] = [
  ...mutantsOf("file-pieces.ts", [
    [
      "the mark of the last piece is not looked at",
      "file: no piece is marked as the last",
      openedPiece,
      orPiece("parameters.iv.with(11, 0)"),
    ],
    [
      "a last piece is taken in the middle",
      "file: each piece is marked as the last",
      openedPiece,
      orPiece("parameters.iv.with(11, 1)"),
    ],
    [
      "a last piece is taken too early",
      "file: a piece is marked as the last too early",
      openedPiece,
      orPiece("parameters.iv.with(11, 1)"),
    ],
    ["the counter may stand", "file: the counter stands", openedPiece, orPiece("parameters.iv.with(10, 0)")],
    [
      "the counter may begin with one",
      "file: the counter begins with one",
      openedPiece,
      orPiece("parameters.iv.with(10, parameters.iv[10] + 1)"),
    ],
    [
      "a piece may come twice",
      "file: a piece twice, instead of the next",
      openedPiece,
      orPiece("parameters.iv.with(10, parameters.iv[10] - 1)"),
    ],
    ["the counter has one byte", "file: 16900000 bytes", "BigInt(index)", "BigInt(index & 255)"],
    ["the commitment is not compared", "file: one file for two keys: the second", isOther, ""],
    ["a commitment of another file is taken", "file: the commitment of another file", isOther, ""],
    ["a commitment that was changed is taken", "file: last bit of the commitment flipped", isOther, ""],
    ["a commitment of another submission is taken", "file: the commitment of another submission", isOther, ""],
    [
      "half of the commitment is compared",
      "file: half of the commitment of another file",
      isOther,
      isOther.replace("commitmentBytes), commitment)", "16), commitment.subarray(0, 16))"),
    ],
    [
      "another submission is taken",
      "file: claims another submission",
      lines,
      lines.replace("${submissionId}", "sub_01hk153x00e5rbcwg8rxcnh8w5"),
    ],
    [
      "another form is taken",
      "file: claims another form",
      lines,
      lines.replace("${formId}", "form_01hk153x00e5rbcwg8rxcnh8w4"),
    ],
    [
      "another file is taken",
      "file: claims another file",
      lines,
      lines.replace("${fileId}", "fil_01hk153x00e5rbcwg8rxcnh8w5"),
    ],
    [
      "another size with the same padding is taken",
      "file: claims to be shorter, with the same padding",
      lines,
      lines.replace("${size}", "${size === 196_607 ? 196_608 : size}"),
    ],
    ["a file without its padding is taken", "file: without padding", otherLength, ""],
    ["bytes after the last piece are left out", "file: one byte more", otherLength, cutToLength],
    [
      "pieces after the last one are left out",
      "file: a piece more",
      otherLength,
      `if (index >= count) return new Uint8Array();\n      ${cutToLength}`,
    ],
  ]),
  ...mutantsOf(
    "file-pieces.ts",
    [
      [
        "the first piece is as long as the others",
        "file: 65505 bytes",
        "(paddedSize(size) + commitmentBytes) / pieceBytes",
        "paddedSize(size) / pieceBytes",
      ],
      ["the file key encrypts", "file: 1024 bytes", '"raw", cipherKey,', '"raw", key,'],
      ["the file is not bound", "file: 1024 bytes", derivation, derivation.replace("binding)", "new Uint8Array())")],
      ["the file is bound as in the draft before", "file: 1024 bytes", lines, "${formId}\\n${fileId}`"],
      ["a line feed ends the binding", "file: 1024 bytes", lines, lines.replace("`", "\\n`")],
      [
        "the halves are swapped",
        "file: 1024 bytes",
        "{ cipherKey, commitment } =",
        "{ cipherKey: commitment, commitment: cipherKey } =",
      ],
    ],
    true,
  ),
  ...mutantsOf("open-file.ts", [
    ["a file without its last piece is taken", "file: the last piece is missing", isIncomplete, ""],
    ["nothing is taken for a file", "file: nothing at all", isIncomplete, ""],
    ["the padding comes out", "file: 1 bytes", "Math.min(left, plaintext.length)", "plaintext.length"],
  ]),
];
