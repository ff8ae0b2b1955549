package envelope

import (
	"encoding/hex"
	"slices"
	"strings"
)

// Keys that libraries treat in different ways are refused: other spellings of a number, and points whose order divides 8, with which
// signatures and shared secrets are nobody's own. The specification has them in section 23.

// Little-endian.
const (
	prime      = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
	groupOrder = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"
)

var (
	commonSmallOrder = []string{
		strings.Repeat("00", 32),
		"01" + strings.Repeat("00", 31),
		"ec" + prime[2:],
	}
	smallOrderX25519 = append([]string{
		"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
		"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
	}, commonSmallOrder...)
	smallOrderEd25519 = append([]string{
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	}, commonSmallOrder...)
)

// isX25519Key says whether these are a public key of X25519: a number below the prime, and of no small order.
func isX25519Key(key []byte) bool {
	return len(key) == 32 && isBelow(key, prime) && !slices.Contains(smallOrderX25519, hex.EncodeToString(key))
}

// isEd25519Point says whether these can be a public key, or the first half of a signature: the same, without the sign of x.
func isEd25519Point(point []byte) bool {
	y := slices.Clone(point)
	if len(y) != 32 {
		return false
	}
	y[31] &= 127
	return isBelow(y, prime) && !slices.Contains(smallOrderEd25519, hex.EncodeToString(y))
}

func isBelow(number []byte, bound string) bool {
	limit, _ := hex.DecodeString(bound)
	for index := 31; index > 0; index-- {
		if number[index] != limit[index] {
			return number[index] < limit[index]
		}
	}
	return number[0] < limit[0]
}
