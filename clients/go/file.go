package sealpost

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const (
	fileFormat       = "spf1"
	fileBytesMax     = 1 << 40
	pieceBytes       = 65536
	tagBytes         = 16
	sealedPieceBytes = pieceBytes + tagBytes
	fileKeyBytes     = 32
)

var (
	// ErrFileCouldNotBeOpened is the one error of every sealed file that was changed, cut, extended or moved.
	ErrFileCouldNotBeOpened = errors.New("sealpost: this file could not be opened: it was changed or is not complete")
	// ErrFileChanged says that a file that is being sealed has another size than at first.
	ErrFileChanged = errors.New("sealpost: the file has another size than at first: it was changed while it was read")

	errFileKey = errors.New("sealpost: a file key has 32 bytes, and a file 0 to 2^40 bytes")
)

// FileKey is everything that sealing or opening a file takes. A key seals one file, once.
type FileKey struct {
	FormID       string
	SubmissionID string
	FileID       string
	// Key has 32 bytes, of this file alone.
	Key []byte
	// Size is that of the file itself, in bytes.
	Size int64
}

// FileField is the file that a field of a submission refers to. Name and Type are what the visitor's browser said:
// show them, and trust them in nothing; Name is no path.
type FileField struct {
	// IsNewer says that a newer program sealed the file in a format that this one does not know: show Name alone.
	IsNewer bool

	ID   string
	Name string
	Type string
	Size int64
	Key  FileKey
}

// ParseFileField gives the file that a field's value refers to, with the key that OpenFile takes; false for any other
// value, which is an ordinary answer.
func ParseFileField(value any, formID, submissionID string) (FileField, bool) {
	outer, ok := value.(map[string]any)
	if !ok || len(outer) != 1 {
		return FileField{}, false
	}
	file := membersOf(outer["$file"])
	if format, ok := file.object["format"].(string); ok && format != fileFormat {
		name, _ := file.object["name"].(string)
		return FileField{IsNewer: true, Name: name}, true
	}
	size, written := file.object["size"].(json.Number)
	field := FileField{ID: file.text("id"), Name: file.text("name"), Type: file.text("type"), Size: file.whole("size")}
	key, canonical := decodeBase64(file.text("key"))
	format := file.text("format")
	field.Key = FileKey{FormID: formID, SubmissionID: submissionID, FileID: field.ID, Key: key, Size: field.Size}
	// Digits alone: 5.0 and 5e0 are no sizes.
	if file.wrong || !written || size.String() != strconv.FormatInt(field.Size, 10) || !canonical || format != fileFormat || !IsID(KindFile, field.ID) || !field.Key.isUsable() {
		return FileField{}, false
	}
	return field, true
}

// Field is the value of a field that refers to the file.
func (file FileKey) Field(name, mediaType string) map[string]any {
	return map[string]any{"$file": map[string]any{
		"id": file.FileID, "name": name, "type": mediaType, "size": file.Size, "key": encodeBase64(file.Key), "format": fileFormat,
	}}
}

// NewFileKey draws a fresh key for a file of this size; FileID is a new one too.
func NewFileKey(formID, submissionID, fileID string, size int64) FileKey {
	return FileKey{FormID: formID, SubmissionID: submissionID, FileID: fileID, Key: randomBytes(fileKeyBytes), Size: size}
}

// SealedSize is the size in bytes of the sealed file: padded, with a commitment, and a tag for each piece.
func (file FileKey) SealedSize() int64 {
	return paddedSize(file.Size) + commitmentBytes + file.pieceCount()*tagBytes
}

// pieceCount counts the pieces. The commitment takes its room in the first.
func (file FileKey) pieceCount() int64 {
	return (paddedSize(file.Size) + commitmentBytes + pieceBytes - 1) / pieceBytes
}

func (file FileKey) isUsable() bool {
	return len(file.Key) == fileKeyBytes && file.Size >= 0 && file.Size <= fileBytesMax
}

// OpenFile gives the file in the sealed bytes of source, in constant memory. What it reads is authentic and in its place, but the
// file is whole only when Read has returned io.EOF: until then nobody should call it opened, and what was written of
// it should be removed when an error comes. The error is ErrFileCouldNotBeOpened, or source's own.
func OpenFile(source io.Reader, file FileKey) (io.Reader, error) {
	if !file.isUsable() {
		return nil, errFileKey
	}
	opener := &fileOpener{pieces: newPieces(file), left: file.Size, sealedLeft: file.SealedSize()}
	return newPieceReader(source, sealedPieceBytes, opener.open), nil
}

// SealFile gives the sealed bytes of the file in source, in constant memory. The error is ErrFileChanged where source has
// not as many bytes as the key says, or source's own. A piece is sealed once: whoever sends the bytes again keeps them, or
// draws a new key and a new id.
func SealFile(source io.Reader, file FileKey) (io.Reader, error) {
	if !file.isUsable() {
		return nil, errFileKey
	}
	exact := &exactReader{source: source, left: file.Size}
	room := bytes.NewReader(make([]byte, commitmentBytes))
	padded := io.MultiReader(room, exact, io.LimitReader(zeros{}, paddedSize(file.Size)-file.Size))
	pieces := newPieces(file)
	return newPieceReader(padded, pieceBytes, func(piece []byte, isLast bool) ([]byte, error) {
		var sealed []byte
		if pieces.count == 0 {
			sealed = append(sealed, pieces.commitment...)
			piece = piece[commitmentBytes:]
		}
		return pieces.cipher.Seal(sealed, pieces.nextNonce(isLast), piece, nil), nil
	}), nil
}

// pieces counts the pieces of one file: age's STREAM with AES-256-GCM (specification, section 13).
type pieces struct {
	cipher     cipher.AEAD
	commitment []byte
	count      uint64
}

func newPieces(file FileKey) *pieces {
	return newBoundPieces(file.Key, file.binding())
}

// newBoundPieces takes the binding as an argument, for the test vectors.
func newBoundPieces(key, bound []byte) *pieces {
	cipherKey, commitment := deriveCommitted(key, nil, bound)
	return &pieces{cipher: newGCM(cipherKey), commitment: commitment}
}

func (file FileKey) binding() []byte {
	return fmt.Appendf(nil, "sealpost/%s\n%s\n%s\n%s\n%d", fileFormat, file.FormID, file.SubmissionID, file.FileID, file.Size)
}

// nextNonce is the counter in 11 bytes, big-endian, and the mark of the last piece.
func (pieces *pieces) nextNonce(isLast bool) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce[3:11], pieces.count)
	pieces.count++
	if isLast {
		nonce[11] = 1
	}
	return nonce
}
