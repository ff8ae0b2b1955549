package sealpost

import (
	"crypto/rand"
	"encoding/binary"
	"math/big"
	"strings"
	"time"
)

// IDKind is the prefix of an id (specification, section 8).
type IDKind string

// The kinds of ids.
const (
	KindForm       IDKind = "form"
	KindSubmission IDKind = "sub"
	KindAPIKey     IDKind = "key"
	KindDelivery   IDKind = "dlv"
	KindEvent      IDKind = "evt"
	KindAccount    IDKind = "acc"
	KindFile       IDKind = "fil"
)

const (
	idAlphabet     = "0123456789abcdefghjkmnpqrstvwxyz"
	idSuffixLength = 26
)

// NewID makes an id of this kind and moment: a TypeID around a UUIDv7.
func NewID(kind IDKind, now time.Time) string {
	var uuid [16]byte
	var milliseconds [8]byte
	binary.BigEndian.PutUint64(milliseconds[:], uint64(now.UnixMilli()))
	rand.Read(uuid[:])
	copy(uuid[:6], milliseconds[2:])
	uuid[6] = uuid[6]&0x0f | 0x70
	uuid[8] = uuid[8]&0x3f | 0x80
	return encodeID(kind, uuid)
}

// IsID reports whether text is an id of this kind.
func IsID(kind IDKind, text string) bool {
	suffix, found := strings.CutPrefix(text, string(kind)+"_")
	if !found || len(suffix) != idSuffixLength || suffix[0] > '7' {
		return false
	}
	return strings.Trim(suffix, idAlphabet) == ""
}

func encodeID(kind IDKind, uuid [16]byte) string {
	rest := new(big.Int).SetBytes(uuid[:])
	digit, base := new(big.Int), big.NewInt(int64(len(idAlphabet)))
	suffix := make([]byte, idSuffixLength)
	for place := range suffix {
		rest.DivMod(rest, base, digit)
		suffix[idSuffixLength-1-place] = idAlphabet[digit.Int64()]
	}
	return string(kind) + "_" + string(suffix)
}
