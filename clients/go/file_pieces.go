package sealpost

import (
	"crypto/subtle"
	"io"
)

type fileOpener struct {
	pieces *pieces
	// left counts the bytes of the file that are still to come; what follows them is padding.
	left int64
	// sealedLeft counts the sealed bytes that are still to come.
	sealedLeft int64
}

func (opener *fileOpener) open(piece []byte, isLast bool) ([]byte, error) {
	opener.sealedLeft -= int64(len(piece))
	if opener.sealedLeft < 0 || isLast != (opener.sealedLeft == 0) {
		return nil, ErrFileCouldNotBeOpened
	}
	if opener.pieces.count == 0 {
		// The smallest file has more bytes.
		if subtle.ConstantTimeCompare(piece[:commitmentBytes], opener.pieces.commitment) != 1 {
			return nil, ErrFileCouldNotBeOpened
		}
		piece = piece[commitmentBytes:]
	}
	plaintext, err := opener.pieces.cipher.Open(nil, opener.pieces.nextNonce(isLast), piece, nil)
	if err != nil {
		return nil, ErrFileCouldNotBeOpened
	}
	ours := min(opener.left, int64(len(plaintext)))
	opener.left -= ours
	return plaintext[:ours], nil
}

// pieceReader cuts what source gives into pieces and reads what convert makes of each. It knows a piece for the last one
// when the source ends after it, so it holds two of them.
type pieceReader struct {
	source  io.Reader
	convert func(piece []byte, isLast bool) ([]byte, error)
	held    []byte
	next    []byte
	ready   []byte
	started bool
	err     error
}

func newPieceReader(source io.Reader, length int, convert func([]byte, bool) ([]byte, error)) *pieceReader {
	return &pieceReader{source: source, convert: convert, held: make([]byte, length), next: make([]byte, length)}
}

// Read implements io.Reader.
func (reader *pieceReader) Read(target []byte) (int, error) {
	if len(target) == 0 {
		return 0, nil
	}
	for len(reader.ready) == 0 && reader.err == nil {
		reader.ready, reader.err = reader.advance()
	}
	if len(reader.ready) == 0 {
		return 0, reader.err
	}
	count := copy(target, reader.ready)
	reader.ready = reader.ready[count:]
	return count, nil
}

// advance gives the next piece, and with the last one io.EOF.
func (reader *pieceReader) advance() ([]byte, error) {
	if !reader.started {
		reader.started = true
		if err := reader.fill(&reader.held); err != nil {
			return nil, err
		}
	}
	isLast := len(reader.held) < cap(reader.held)
	if !isLast {
		if err := reader.fill(&reader.next); err != nil {
			return nil, err
		}
		isLast = len(reader.next) == 0
	}
	converted, err := reader.convert(reader.held, isLast)
	if err != nil {
		return nil, err
	}
	if isLast {
		return converted, io.EOF
	}
	reader.held, reader.next = reader.next, reader.held
	return converted, nil
}

// fill reads until the piece is full or the source ends. io.ReadFull would hide a source's own io.ErrUnexpectedEOF, which
// tells of a broken connection.
func (reader *pieceReader) fill(piece *[]byte) error {
	buffer := (*piece)[:cap(*piece)]
	filled, idle := 0, 0
	for filled < len(buffer) {
		count, err := reader.source.Read(buffer[filled:])
		filled += count
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if idle++; count > 0 {
			idle = 0
		} else if idle > 100 {
			return io.ErrNoProgress
		}
	}
	*piece = buffer[:filled]
	return nil
}

// exactReader fails with ErrFileChanged unless source has exactly left bytes.
type exactReader struct {
	source io.Reader
	left   int64
}

func (exact *exactReader) Read(target []byte) (int, error) {
	count, err := exact.source.Read(target)
	exact.left -= int64(count)
	if exact.left < 0 || (err == io.EOF && exact.left > 0) {
		return 0, ErrFileChanged
	}
	return count, err
}

type zeros struct{}

func (zeros) Read(target []byte) (int, error) {
	clear(target)
	return len(target), nil
}
