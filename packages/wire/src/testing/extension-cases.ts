/** `extensions` and `critical` as a line has them, as text, and what a reader that knows no extension makes of the line. */
export interface ExtensionCase {
  readonly name: string;
  readonly extensions: string;
  readonly critical: string;
  readonly outcome: "taken" | "malformed" | "unknown_extension";
}

/** Cases for contents with at most so many bytes in both. Depths count the content and `extensions`. */
export function extensionCases(bytesMax: number): readonly ExtensionCase[] {
  const nested = (depth: number) => `${"[".repeat(depth - 2)}${"]".repeat(depth - 2)}`;
  const letters = (bytes: number, letter = "x") =>
    `{"a":"${letter.repeat((bytes - '{"a":""}[]'.length) / encodedLength(letter))}"}`;
  const taken = {
    none: "{}",
    "every kind of value": '{"a":[],"b":[1,"",true,false,null,{}],"c":{"d":0,"e":{"f":[[]]}}}',
    "the largest number": '{"a":9007199254740991}',
    "escapes that have to be": '{"a":"\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u001f"}',
    "letters that need no escape": '{"a":"é/<>&\u007f\u2028\u2029\ufeff😀"}',
    "a name of 64 characters": `{"${"a".repeat(64)}":1}`,
    "a name of a domain": '{"org.example.Color-2_b":1}',
    "names by their bytes": '{"a":1,"aB":1,"a_":1,"aa":1,"b":1}',
    "64 levels": `{"a":${nested(64)}}`,
    "brackets in a text after an escaped quotation mark": `{"a":"\\\\\\"${"[".repeat(70)}"}`,
    "as many bytes as there may be": letters(bytesMax),
    "as many bytes as there may be, two for each letter": letters(bytesMax, "é"),
  };
  const malformed = {
    "65 levels": `{"a":${nested(65)}}`,
    "65 levels after a text of a backslash": `{"a":"\\\\","b":${nested(65)}}`,
    "65 levels in a doubled member": `{"a":${nested(65)}},"extensions":{}`,
    "64 levels in a doubled member": `{"a":${nested(64)}},"extensions":{}`,
    "a byte too many": letters(bytesMax + 1),
    "a letter too many, of two bytes": letters(bytesMax + 2, "é"),
    "no object": "[]",
    null: "null",
    "2^53": '{"a":9007199254740992}',
    "a negative number": '{"a":-1}',
    "minus zero": '{"a":-0}',
    "an exponent": '{"a":1e2}',
    "a fraction": '{"a":1.0}',
    "a half": '{"a":0.5}',
    "a leading zero": '{"a":01}',
    "a letter as an escape": '{"a":"\\u00e9"}',
    "a slash with an escape": '{"a":"\\/"}',
    "U+2028 as an escape": '{"a":"\\u2028"}',
    "an escape in capitals": '{"a":"\\u001F"}',
    "a long escape in the place of a short one": '{"a":"\\u000a"}',
    "a control character without an escape": '{"a":"\t"}',
    "the first half of a surrogate pair": '{"a":"\\ud83d"}',
    "the second half of a surrogate pair": '{"a":"\\ude00"}',
    "a surrogate pair as escapes": '{"a":"\\ud83d\\ude00"}',
    "a name that objects already have": '{"__proto__":{}}',
    "a name of a digit": '{"1":1}',
    "a name that begins with a capital": '{"Aa":1}',
    "a name with a letter outside of ASCII": '{"aé":1}',
    "an empty name": '{"":1}',
    "a name of 65 characters": `{"${"a".repeat(65)}":1}`,
    "a wrong name further down": '{"a":[{"B":1}]}',
    "names in another order": '{"b":1,"a":1}',
    "names in another order further down": '{"a":[{"c":1,"b":1}]}',
    "a name twice": '{"a":1,"a":1}',
    "white space": '{"a": 1}',
    "a comma too many": '{"a":1,}',
  };
  const critical: Readonly<Record<string, readonly [extensions: string, critical: string, ExtensionCase["outcome"]]>> =
    {
      unknown: ['{"a":1}', '["a"]', "unknown_extension"],
      "two unknown ones": ['{"a":1,"b":{},"c":[]}', '["a","c"]', "unknown_extension"],
      "one that is not there": ['{"a":1}', '["b"]', "malformed"],
      "one that objects already have": ['{"a":1}', '["constructor"]', "malformed"],
      "one further down": ['{"a":{"b":1}}', '["b"]', "malformed"],
      "one twice": ['{"a":1}', '["a","a"]', "malformed"],
      "in another order": ['{"a":1,"b":1}', '["b","a"]', "malformed"],
      "no array": ['{"a":1}', '{"0":"a"}', "malformed"],
      "a text": ['{"a":1}', '"a"', "malformed"],
      "a number": ['{"a":1}', "[1]", "malformed"],
      "a name in an array": ['{"a":1}', '[["a"]]', "malformed"],
      null: ["{}", "null", "malformed"],
    };
  return [
    ...Object.entries(taken).map(([name, extensions]) => toCase(`taken: ${name}`, extensions, "[]", "taken")),
    ...Object.entries(malformed).map(([name, extensions]) =>
      toCase(`malformed: ${name}`, extensions, "[]", "malformed"),
    ),
    ...Object.entries(critical).map(([name, [extensions, names, outcome]]) =>
      toCase(`critical: ${name}`, extensions, names, outcome),
    ),
  ];
}

function toCase(name: string, extensions: string, critical: string, outcome: ExtensionCase["outcome"]): ExtensionCase {
  return { name, extensions, critical, outcome };
}

function encodedLength(letter: string): number {
  return new TextEncoder().encode(letter).length;
}

/** The line of a content without extensions, with these texts in the place of its last two members. */
export function withExtensions(
  line: string,
  { extensions, critical }: Pick<ExtensionCase, "extensions" | "critical">,
): string {
  const end = '"extensions":{},"critical":[]}';
  if (!line.endsWith(end)) throw new Error(`Another end than ${end}`);
  return `${line.slice(0, -end.length)}"extensions":${extensions},"critical":${critical}}`;
}
