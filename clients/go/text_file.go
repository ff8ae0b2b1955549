package sealpost

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// asUTF8 is the text of a file without the byte order mark that it may begin with. Windows PowerShell writes UTF-16.
func asUTF8(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	units := make([]uint16, 0, len(text)/2)
	for at := 2; at+1 < len(text); at += 2 {
		units = append(units, order.Uint16(text[at:]))
	}
	return []byte(string(utf16.Decode(units)))
}
