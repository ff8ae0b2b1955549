package envelope

// Refusal says why a list, an envelope or a key log is refused.
type Refusal string

// The reasons, as the specification calls them.
const (
	Malformed         Refusal = "malformed"
	NotSigned         Refusal = "not_signed"
	NotAllowed        Refusal = "not_allowed"
	Forked            Refusal = "forked"
	OtherOrganization Refusal = "other_organization"
	BrokenChain       Refusal = "broken_chain"
	OldList           Refusal = "old_list"
	NotVouched        Refusal = "not_vouched"
	NotAReader        Refusal = "not_a_reader"
	OtherForm         Refusal = "other_form"
	UnknownList       Refusal = "unknown_list"
	WrongReaders      Refusal = "wrong_readers"
	OldRevision       Refusal = "old_revision"
	WrongRevision     Refusal = "wrong_revision"
	UnknownKeyLog     Refusal = "unknown_key_log"
	OldKeyLog         Refusal = "old_key_log"
	OtherPrevious     Refusal = "other_previous"
	WrongKey          Refusal = "wrong_key"
	KeyMissing        Refusal = "key_missing"
	UnknownExtension  Refusal = "unknown_extension"
)

var sentences = map[Refusal]string{
	Malformed:         "this is damaged, or not in the format that this version knows",
	NotSigned:         "the signature is missing, wrong, or of somebody who is not in the list of members, or not named by the key log",
	NotAllowed:        "it is signed by somebody who may not do this",
	Forked:            "this differs from what was seen before, where only something newer may follow",
	OtherOrganization: "this list belongs to another organization",
	BrokenChain:       "entries of the list, or of the key log, are missing, doubled or in another order",
	OldList:           "this is older than the list of members that was seen before",
	NotVouched:        "nothing in this list is signed with the key that was passed on to you",
	NotAReader:        "this envelope is not for this key",
	OtherForm:         "this belongs to another form, or to other key versions",
	UnknownList:       "this envelope refers to a list of members that is not the one available",
	WrongReaders:      "the readers of this envelope are not those of the list of members",
	WrongRevision:     "this envelope has another number than the one under which the service keeps it",
	UnknownKeyLog:     "this envelope refers to a key log that is not the one available",
	OldKeyLog:         "this envelope refers to an older key log than the one that was seen before, or to none",
	OtherPrevious:     "this envelope follows another one than the one that was seen before",
	OldRevision:       "this envelope is older than the one that was seen before",
	WrongKey:          "a private key in this envelope is not the one that it is called",
	KeyMissing:        "this envelope lacks a private key of the form, or has another in its place",
	UnknownExtension:  "a newer program wrote this, with something that must be understood: update this one",
}

// Error is the sentence, which never says more than the reason.
func (refusal Refusal) Error() string { return "sealpost: " + sentences[refusal] }
