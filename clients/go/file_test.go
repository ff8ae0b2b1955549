package sealpost

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"testing"
	"testing/iotest"
)

type fileSource struct {
	FormID, SubmissionID, FileID, Key, SealedSHA256 string
	Size, SealedSize                                int64
	// Binding replaces the five lines.
	Binding *string
	// Sealed is base64 of the whole, which nobody made by section 13.
	Sealed string
	Pieces []struct {
		Length, Counter int
		Mark            byte
	}
}

func (source fileSource) key() FileKey {
	key, _ := decodeBase64(source.Key)
	return FileKey{FormID: source.FormID, SubmissionID: source.SubmissionID, FileID: source.FileID, Key: key, Size: source.Size}
}

// plainBytes are those of a vector's file: byte i is i mod 251.
func plainBytes(size int64) []byte {
	plain := make([]byte, size)
	for index := range plain {
		plain[index] = byte(index % 251)
	}
	return plain
}

// seal seals as the source says, which may be as no careful sealer does.
func (source fileSource) seal(t testing.TB) []byte {
	if source.Sealed != "" {
		sealed, _ := decodeBase64(source.Sealed)
		return sealed
	}
	if source.Pieces == nil && source.Binding == nil {
		sealer, err := SealFile(bytes.NewReader(plainBytes(source.Size)), source.key())
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := io.ReadAll(sealer)
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	if source.Pieces == nil {
		whole := commitmentBytes + int(paddedSize(source.Size))
		for start := 0; start < whole; start += pieceBytes {
			length := min(pieceBytes, whole-start)
			mark := byte(0)
			if start+length == whole {
				mark = 1
			}
			if start == 0 {
				length -= commitmentBytes
			}
			source.Pieces = append(source.Pieces, struct {
				Length, Counter int
				Mark            byte
			}{length, start / pieceBytes, mark})
		}
	}
	pieces := newPieces(source.key())
	if source.Binding != nil {
		pieces = newBoundPieces(source.key().Key, []byte(*source.Binding))
	}
	rest := append(plainBytes(source.Size), make([]byte, 2*pieceBytes)...)
	sealed := bytes.Clone(pieces.commitment)
	for _, piece := range source.Pieces {
		pieces.count = uint64(piece.Counter)
		nonce := pieces.nextNonce(piece.Mark == 1)
		sealed = pieces.cipher.Seal(sealed, nonce, rest[:piece.Length], nil)
		rest = rest[piece.Length:]
	}
	return sealed
}

type fileVector struct {
	Name   string
	Claims struct {
		Source, FormID, SubmissionID, FileID, Key string
		Size                                      *int64
	}
	Bytes []struct {
		Source   string
		From, To int
	}
	Flipped []int
	Outcome string
}

type fileVectors struct {
	Sources map[string]fileSource
	Vectors []fileVector
	Fields  []struct {
		Name, Text, Outcome, File string
	}
}

func (vector fileVector) bytes(sealed map[string][]byte) []byte {
	var joined []byte
	for _, slice := range vector.Bytes {
		joined = append(joined, sealed[slice.Source][slice.From:slice.To]...)
	}
	for _, bit := range vector.Flipped {
		joined[bit/8] ^= 0x80 >> (bit % 8)
	}
	return joined
}

func (vector fileVector) key(source fileSource) FileKey {
	key := source.key()
	if vector.Claims.FormID != "" {
		key.FormID = vector.Claims.FormID
	}
	if vector.Claims.SubmissionID != "" {
		key.SubmissionID = vector.Claims.SubmissionID
	}
	if vector.Claims.FileID != "" {
		key.FileID = vector.Claims.FileID
	}
	if vector.Claims.Key != "" {
		key.Key, _ = decodeBase64(vector.Claims.Key)
	}
	if vector.Claims.Size != nil {
		key.Size = *vector.Claims.Size
	}
	return key
}

func openAll(sealed io.Reader, key FileKey) ([]byte, error) {
	opener, err := OpenFile(sealed, key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(opener)
}

func TestEveryFileIsSealedToTheBytesOfItsVectorAndHasItsOutcome(t *testing.T) {
	files := readVectors[fileVectors](t, "files.json")
	sealed := map[string][]byte{}
	for name, source := range files.Sources {
		sealed[name] = source.seal(t)
		digest := sha256.Sum256(sealed[name])
		if int64(len(sealed[name])) != source.SealedSize || encodeBase64URL(digest[:]) != source.SealedSHA256 {
			t.Errorf("%s was sealed to other bytes", name)
		}
		if source.Pieces == nil && source.Sealed == "" && source.key().SealedSize() != source.SealedSize {
			t.Errorf("%s has another sealed size", name)
		}
	}
	for _, vector := range files.Vectors {
		source := files.Sources[vector.Claims.Source]
		key := vector.key(source)
		opened, err := openAll(bytes.NewReader(vector.bytes(sealed)), key)
		switch {
		case vector.Outcome == "opened" && (err != nil || !bytes.Equal(opened, plainBytes(key.Size))):
			t.Errorf("%s did not open: %v", vector.Name, err)
		case vector.Outcome != "opened" && err != ErrFileCouldNotBeOpened:
			t.Errorf("%s: %v", vector.Name, err)
		}
	}
}

func TestAFileOpensWhateverPortionsItComesIn(t *testing.T) {
	key := NewFileKey("form_01hk153x00e5rbcwg8rxcnh8w4", "sub_01hk153x00e5rbcwg8rxcnh8w5", "fil_01hk153x00e5rbcwg8rxcnh8w5", 70_000)
	sealer, err := SealFile(iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(plainBytes(70_000)))), key)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := io.ReadAll(iotest.OneByteReader(sealer))
	if err != nil || int64(len(sealed)) != key.SealedSize() {
		t.Fatal(len(sealed), err)
	}
	opened, err := openAll(iotest.OneByteReader(bytes.NewReader(sealed)), key)
	if err != nil || !bytes.Equal(opened, plainBytes(70_000)) {
		t.Fatal(err)
	}
}

func TestAFileThatChangedWhileItWasReadIsNotSealed(t *testing.T) {
	key := NewFileKey("form_01hk153x00e5rbcwg8rxcnh8w4", "sub_01hk153x00e5rbcwg8rxcnh8w5", "fil_01hk153x00e5rbcwg8rxcnh8w5", 70_000)
	for _, size := range []int64{0, 69_999, 70_001, 200_000} {
		sealer, err := SealFile(bytes.NewReader(plainBytes(size)), key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, sealer); !errors.Is(err, ErrFileChanged) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestABrokenConnectionIsNotCalledAChangedFile(t *testing.T) {
	key := NewFileKey("form_01hk153x00e5rbcwg8rxcnh8w4", "sub_01hk153x00e5rbcwg8rxcnh8w5", "fil_01hk153x00e5rbcwg8rxcnh8w5", 70_000)
	for _, broken := range []error{io.ErrUnexpectedEOF, errors.New("connection reset")} {
		source := io.MultiReader(bytes.NewReader(make([]byte, 1000)), iotest.ErrReader(broken))
		if _, err := openAll(source, key); err != broken {
			t.Error(err)
		}
	}
}

func TestFilesTakeConstantMemory(t *testing.T) {
	const size = 64 << 20
	key := NewFileKey("form_01hk153x00e5rbcwg8rxcnh8w4", "sub_01hk153x00e5rbcwg8rxcnh8w5", "fil_01hk153x00e5rbcwg8rxcnh8w5", size)
	sealer, err := SealFile(io.LimitReader(zeros{}, size), key)
	if err != nil {
		t.Fatal(err)
	}
	opener, err := OpenFile(sealer, key)
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 32<<10)
	var most uint64
	for read := 0; ; read++ {
		_, err := opener.Read(buffer)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if read%256 == 0 {
			runtime.GC()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			most = max(most, memory.HeapAlloc)
		}
	}
	if most > size/4 {
		t.Errorf("%d bytes in use for a file of %d", most, size)
	}
}

func TestEveryFieldIsTakenForAFileOrForAnAnswer(t *testing.T) {
	form, submission := "form_01hk153x00e5rbcwg8rxcnh8w4", "sub_01hk153x00e5rbcwg8rxcnh8w5"
	written, err := encodeJSON(NewFileKey(form, submission, "fil_01hk153x00e5rbcwg8rxcnh8w5", 5).Field("a.pdf", "application/pdf"))
	if err != nil {
		t.Fatal(err)
	}
	field, ok := parseFieldText(t, string(written))
	if !ok || field.Name != "a.pdf" || field.Size != 5 || field.Key.FormID != form || field.Key.SubmissionID != submission || len(field.Key.Key) != 32 {
		t.Fatal(field, ok)
	}
	for _, vector := range readVectors[fileVectors](t, "files.json").Fields {
		field, ok := parseFieldText(t, vector.Text)
		outcome := "answer"
		if ok {
			outcome = map[bool]string{true: "newer", false: "file"}[field.IsNewer]
		}
		if outcome != vector.Outcome || field.Name != vector.File || field.IsNewer && field.Key.Key != nil {
			t.Errorf("%s: %s, %v", vector.Name, outcome, field)
		}
	}
	// What a language that makes numbers of the text can't tell.
	for _, size := range []string{"1024.0", "1e3", "-0"} {
		text := regexp.MustCompile(`"size":5`).ReplaceAllString(string(written), `"size":`+size)
		if _, ok := parseFieldText(t, text); ok {
			t.Errorf("taken for a file: %s", text)
		}
	}
}

func parseFieldText(t *testing.T, text string) (FileField, bool) {
	object, err := parseObject(fmt.Appendf(nil, `{"field":%s}`, text))
	if err != nil {
		t.Fatal(err)
	}
	return ParseFileField(object["field"], "form_01hk153x00e5rbcwg8rxcnh8w4", "sub_01hk153x00e5rbcwg8rxcnh8w5")
}
