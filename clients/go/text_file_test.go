package sealpost

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"
)

func TestAKeyFileIsReadInUTF8AndAsWindowsPowerShellWritesIt(t *testing.T) {
	file := `{"sealpost":"private-key","formName":"Zoë 🎈"}`
	texts := [][]byte{[]byte(file), []byte("\ufeff" + file), nil, nil}
	for _, unit := range utf16.Encode([]rune("\ufeff" + file)) {
		texts[2] = binary.LittleEndian.AppendUint16(texts[2], unit)
		texts[3] = binary.BigEndian.AppendUint16(texts[3], unit)
	}
	for _, text := range texts {
		if read := string(asUTF8(text)); read != file {
			t.Errorf("%q was read as %q", text, read)
		}
	}
}
