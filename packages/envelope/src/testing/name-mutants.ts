import { mutantsOf } from "../../../../tests/support/mutants.ts";

/** Mistakes that somebody could make who reads a file of names; vectors/names.json. */
export const nameFileMutants = [
  ...mutantsOf("names.ts", [
    [
      "names are taken without their commitment",
      "another name",
      "line && (await computeCommitment(owner, line)) === commitment ? line.name : undefined",
      "line?.name",
    ],
    ["lines may come in any order", "unordered lines", 'check(isAscending, "malformed");', ""],
    [
      "any organization's file is taken",
      "the file of another organization",
      " && first === firstLine(organizationId)",
      "",
    ],
    ["more lines are taken", "4,097 lines", "nameLinesMax = 4096", "nameLinesMax = 5000"],
    ["fewer lines are taken", "4,096 lines", "nameLinesMax = 4096", "nameLinesMax = 4095"],
    [
      "the last line needs no end",
      "no line feed at the end",
      'lines.pop() === "" && ',
      'lines.at(-1) === "" ? lines.pop() === "" : ',
    ],
  ]),
  ...mutantsOf("member.ts", [
    ["a name may be empty", "an empty name", "{1,100}", "{0,100}"],
    ["names may be longer", "a name of 101 characters", "{1,100}", "{1,200}"],
    [
      "characters are counted as UTF-16 does",
      "a name of 400 bytes",
      "parseText(value, namePattern)",
      'parseText(String(value).length > 100 ? "" : value, namePattern)',
    ],
    ["names may have several lines", "a name with a line feed", "\\p{Cc}", ""],
    ["names may have half a character", "half a surrogate pair in a name", "\\p{Cs}", ""],
    ["names may turn the direction", "a name that turns the direction of the text", "\\u2028-\\u202e", ""],
  ]),
];

/** Mistakes that somebody could make who puts names to a list; vectors/names.json. */
export const namedListMutants = [
  ...mutantsOf("list-names.ts", [
    [
      "former names stay",
      "named list: the newest names are missing, and former ones are there",
      "$" + "{id} $" + "{String(commitment)}",
      "$" + "{id}",
    ],
  ]),
  ...mutantsOf("names.ts", [
    [
      "names are taken without their commitment",
      "named list: the names of two members swapped",
      "line && (await computeCommitment(owner, line)) === commitment ? line.name : undefined",
      "line?.name",
    ],
  ]),
  ...mutantsOf("list.ts", [
    [
      "the organization keeps its first name",
      "named list: all names",
      "state.organizationName = name;",
      "state.organizationName ??= name;",
    ],
    ["names are not looked up", "named list: all names", "learnName(state, entry)];", "undefined];"],
  ]),
];
