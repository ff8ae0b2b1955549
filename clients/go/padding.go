package sealpost

import "math/bits"

// paddedSize is the size in bytes that a plaintext of this size is padded to: 1, 2 or 4 KiB, then the next Padmé size
// (specification, section 4).
func paddedSize(size int64) int64 {
	switch {
	case size <= 1024:
		return 1024
	case size <= 2048:
		return 2048
	case size <= 4096:
		return 4096
	}
	exponent := bits.Len64(uint64(size)) - 1
	step := int64(1) << (exponent - bits.Len(uint(exponent)))
	return (size + step - 1) / step * step
}
