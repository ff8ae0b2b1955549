import { mutantsOf } from "../../../../tests/support/mutants.ts";

/** Mistakes that somebody could make who reads or opens admissions; vectors/admissions.json. */
export const admissionMutants = [
  ...mutantsOf("admission-terms.ts", [
    [
      "terms of any organization are taken",
      "admission: of another organization",
      'check(terms.organizationId === list.organizationId, "other_organization");',
      "",
    ],
    [
      "terms of any list are taken",
      "admission: of a list that is not this one",
      'check(hasHead(list, terms.list), "unknown_list");',
      "",
    ],
    [
      "signatures are not checked",
      "admission: terms with another role",
      "await verifyLine(admissionFormat, line, signature, maker.signingKey);",
      "",
    ],
    [
      "the maker of then counts",
      "admission: by a manager who has left",
      "const maker = list.members.get(terms.signedBy);",
      "const maker = list.membersAt(terms.list)?.get(terms.signedBy);",
    ],
    ["anyone brings in anybody", "admission: a manager brings in a manager", " && mayChange(maker, before, after)", ""],
    [
      "any role may be given",
      "admission: a manager brings in an owner",
      '?? "", role }',
      '?? "", role: "reader" as typeof role }',
    ],
    [
      "managers replace owners",
      "admission: a manager replaces an owner",
      "mayChange(maker, before, after)",
      "mayChange(maker, undefined, after)",
    ],
    ["recovery keys make terms", "admission: by a recovery key, for an owner", "mayWrite(maker) && ", ""],
    ["somebody may bring in themselves", "admission: somebody brings in themselves", "maker.id !== person && ", ""],
    ["the end is not looked at", "admission: seen at its end", 'check(Date.parse(terms.endsAt) > now, "ended");', ""],
    [
      "terms may last for ever",
      "admission: that ends 7 days, an hour and a second from now",
      'check(Date.parse(terms.endsAt) <= now + admissionMilliseconds + clockMilliseconds, "slow_clock");',
      "",
    ],
    [
      "clocks have to agree",
      "admission: seen by a clock that is an hour slow",
      "now + admissionMilliseconds + clockMilliseconds",
      "now + admissionMilliseconds",
    ],
    [
      "any key of a link is taken",
      "admission: terms with a link's key of small order",
      "parseSigningKey(linkKey)",
      "parse32Bytes(linkKey)",
      "checkCritical, parseExtensions",
      "checkCritical, parse32Bytes, parseExtensions",
    ],
    ["used ones are taken", "admission: used", 'check(!wasChangedSince(list, head, person), "used");', ""],
    [
      "ones that somebody else has used are taken",
      "admission: used for somebody else",
      'check(!hasUsed(list, terms.admissionId), "used");',
      "",
    ],
    [
      "those for an account may be used again",
      "admission: seen after somebody has joined with it",
      "if (terms.person !== null) requirePlace(terms, terms.person, list);",
      "",
    ],
    [
      "who was removed comes back by an address",
      "admission: for an address, seen after another manager has left",
      "person === null || !members.has(person)",
      "person !== null && !members.has(person)",
    ],
    [
      "who was removed comes back by another account",
      "admission: seen after another manager, who could have made it, has left",
      "person === null || !members.has(person)",
      "person === null",
    ],
    [
      "any right that somebody lost ends everything",
      "admission: for a member who is there, after another manager has left",
      'if (isAdding(terms, list)) check(!hasTakenRight(list, terms.list), "used");',
      'check(!hasTakenRight(list, terms.list), "used");',
    ],
    [
      "any format is taken",
      "admission: terms of another format",
      'check(format === admissionFormat, "malformed");',
      "",
    ],
    ["programs are brought in", "admission: terms for a program", "(?:owner|manager", "(?:program|owner|manager"],
    ["what is critical is ignored", "admission: terms with a critical extension", "checkCritical(terms);", ""],
    [
      "what is critical is looked at before signatures",
      "admission: terms with a critical extension, signed by an owner in the name of a manager",
      "  const maker = list.members.get(terms.signedBy);",
      "  checkCritical(terms);\n  const maker = list.members.get(terms.signedBy);",
    ],
    [
      "what is critical is looked at last",
      "admission: terms with a critical extension, for somebody whom a manager may not bring in",
      "  checkCritical(terms);\n",
      "",
      "  return { terms, maker };",
      "  checkCritical(terms);\n  return { terms, maker };",
    ],
  ]),
  ...mutantsOf("member.ts", [
    [
      "programs are people who were removed",
      "admission: for an address, after a program has left",
      'before.role === "program" || ',
      "",
    ],
    [
      "recovery keys are people who were removed",
      "admission: for an address, after a recovery key has left",
      ' || before.role === "recovery"',
      "",
    ],
    [
      "who is there has lost nothing",
      "admission: for an address, after another manager is an auditor",
      "after === undefined || order.indexOf(after.role) > order.indexOf(before.role)",
      "after === undefined",
    ],
    [
      "any other role is a lesser one",
      "admission: for an address, after another manager is an owner",
      "order.indexOf(after.role) > order.indexOf(before.role)",
      "after.role !== before.role",
    ],
  ]),
  ...mutantsOf("signature.ts", [
    [
      "a third line of terms is ignored",
      "admission: terms of three lines",
      'end === "" && more.length === 0',
      'end === ""',
    ],
  ]),
  ...mutantsOf("list-history.ts", [
    [
      "only the present member counts",
      "admission: seen after a program has come and gone under its person's id",
      "entry.number > number && subjectOf",
      "entry.number > number && list.members.has(memberId) && subjectOf",
    ],
    ["entries before count", "admission: for a member who has another key", "entry.number > number && ", ""],
    [
      "rights that were lost before count",
      "admission: for an address, after another manager had left before",
      "findChanges(list, number).some",
      "findChanges(list, 0).some",
    ],
  ]),
  ...mutantsOf("admission.ts", [
    [
      "the admission is not compared with the link",
      "admission: a link to another admission",
      "admissionId === link.admissionId && ",
      "",
    ],
    [
      "the head is not compared with the link",
      "admission: a link with another head",
      " && head.hash === link.head.hash",
      "",
    ],
    [
      "the link's secret is not compared",
      "admission: a link with another secret",
      ' && (await deriveLinkKey(decodeSecret(link.secret))).publicKey === linkKey, "wrong_link"',
      ', "wrong_link"',
    ],
    [
      "anyone who is in the list finishes it",
      "admission: finished by a reader",
      "  requireMayAdmit(terms, finisher, answer.personId, list);\n",
      "",
    ],
    [
      "who is not in the list finishes it",
      "admission: finished by somebody who is not in the list",
      'if (finisher === undefined) throw new RefusalError("not_allowed");\n  requireMayAdmit(terms, finisher, answer.personId, list);',
      "if (finisher) requireMayAdmit(terms, finisher, answer.personId, list);",
    ],
    [
      "those for an address may be used again",
      "admission: for an address, used",
      "requirePlace(terms, answer.personId, list);",
      "",
    ],
    [
      "an address takes a member's place",
      "admission: for an address, answered with a member's id",
      'check(terms.person !== null || !list.members.has(answer.personId), "wrong_answer");',
      "",
    ],
    [
      "a member who is there is added",
      "admission: for a member who has another key",
      'members.has(personId) ? "replace" : "add"',
      '(members, "add")',
    ],
  ]),
  ...mutantsOf("admission-answer.ts", [
    [
      "anyone who has the link may answer",
      "admission: answered by somebody else who has the link",
      'check(isForTerms && (terms.person === null || terms.person === content.personId), "wrong_answer");',
      'check(isForTerms, "wrong_answer");',
    ],
    [
      "answers to any terms are taken",
      "admission: answered to other terms",
      " &&\n    content.terms === (await hashOf(termsLine))",
      "",
    ],
    [
      "answers to any admission are taken",
      "admission: answered to another admission",
      "content.admissionId === terms.admissionId &&",
      "",
    ],
    [
      "answers to any organization are taken",
      "admission: answered to another organization",
      "content.organizationId === terms.organizationId &&",
      "",
    ],
    [
      "signatures of answers are not checked",
      "admission: answered with the secret, and signed by another key",
      "  await requireSigned(answerFormat, line, signature, content.signingKey);\n",
      "",
    ],
    [
      "proofs are not checked",
      "admission: answered without the secret",
      "await requireSigned(proofLabel, line, proof, terms.linkKey);",
      "",
    ],
    [
      "a proof is by the key that is brought",
      "admission: answered with a proof by the key that it brings",
      "await requireSigned(proofLabel, line, proof, terms.linkKey)",
      "await requireSigned(proofLabel, line, proof, terms.linkKey).catch(() =>\n      requireSigned(proofLabel, line, proof, content.signingKey))",
    ],
    [
      "a proof has the answer's label",
      "admission: answered with a proof that is signed as the answer is",
      "await requireSigned(proofLabel, line, proof, terms.linkKey)",
      "await requireSigned(proofLabel, line, proof, terms.linkKey).catch(() =>\n      requireSigned(answerFormat, line, proof, terms.linkKey))",
    ],
    [
      "what is critical in an answer is ignored",
      "admission: answered with a critical extension",
      "checkCritical(content);",
      "",
    ],
    [
      "any format of an answer is taken",
      "admission: an answer of another format",
      'check(format === answerFormat, "malformed");',
      "",
    ],
    [
      "any key answers",
      "admission: answered with a signing key of small order",
      "parseSigningKey(signingKey)",
      "parse32Bytes(signingKey)",
    ],
  ]),
  ...mutantsOf("admission-key.ts", [
    [
      "the link's key has the label of a recovery key's",
      "admission: seen by the person",
      "sealpost-admission-key/1",
      "sealpost-recovery-signing/1",
    ],
    [
      "the link's key is made of the secret's hash",
      "admission: terms with a key that is made of the secret's hash",
      "await crypto.subtle.deriveBits(parameters, key, 256)",
      'await crypto.subtle.digest("SHA-256", secret)',
    ],
  ]),
];

/** Mistakes with words in the place of a link. */
export const admissionWordMutants = [
  ...mutantsOf("admission-words.ts", [
    ["five words are enough", "words: five", "words.length === admissionWords && ", ""],
    ["capitals are other words", "words: capitals, which a page has to make small", "[a-z-]", "[A-Za-z-]"],
  ]),
  ...mutantsOf(
    "admission-words.ts",
    [
      [
        "words fit any list",
        "words: terms of another list, with a secret for the right one",
        "{ admissionId, organizationId, number, hash }",
        "{ admissionId, organizationId }",
      ],
      [
        "words fit any admission",
        "words: terms with the secret of another admission",
        "{ admissionId, organizationId, number, hash }",
        "{ organizationId, number, hash }",
      ],
      [
        "the words' salt has the label of terms",
        "words: those that were read out",
        "sealpost-admission-words/1",
        "sealpost-admission/1",
      ],
      ["words are not stretched", "words: those that were read out", "600_000", "1"],
    ],
    true,
  ),
];
