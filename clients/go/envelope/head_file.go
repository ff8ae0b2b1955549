package envelope

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

const (
	// headFileBytesMax is far above what heads take.
	headFileBytesMax = 16 << 20
	lockPause        = 20 * time.Millisecond
	// lockAgeMax: a lock is held for the time of one write. An older one was left by a program that was killed.
	lockAgeMax = 30 * time.Second
)

// ErrHeadFile says that a file is there and is not what remembers heads. It is never taken for an empty one: that would let a server show
// an old list again.
var ErrHeadFile = errors.New("sealpost: the file is damaged, or not what remembers lists and envelopes: restore it, or remove it and give the head of the list of members again")

type headFile struct{ path string }

// NewHeadFile keeps heads in a file of mode 0600, the same as that of the command line: IDENTITY.heads.json. It is replaced in one step under a
// lock, PATH.lock, so that several programs may use it at once.
func NewHeadFile(path string) Store { return headFile{path} }

type headFileContent struct {
	Sealpost string                     `json:"sealpost"`
	Version  int                        `json:"version"`
	Heads    map[string]json.RawMessage `json:"heads"`
}

func (file headFile) Find(name string) (json.RawMessage, error) {
	content, err := file.read()
	return content.Heads[name], err
}

// errLockLost says that another program has taken the lock over, and nothing was written.
var errLockLost = errors.New("sealpost: another program has taken the lock over")

func (file headFile) Change(name string, change func(json.RawMessage) (json.RawMessage, error)) error {
	for {
		if err := file.changeOnce(name, change); !errors.Is(err, errLockLost) {
			return err
		}
	}
}

func (file headFile) changeOnce(name string, change func(json.RawMessage) (json.RawMessage, error)) error {
	return file.withLock(func(isOurs func() bool) error {
		content, err := file.read()
		if err != nil {
			return err
		}
		after, err := change(content.Heads[name])
		if err != nil || after == nil {
			return err
		}
		content.Heads[name] = after
		return file.write(content, isOurs)
	})
}

func (file headFile) read() (headFileContent, error) {
	empty := headFileContent{"heads", 1, map[string]json.RawMessage{}}
	text, err := os.ReadFile(file.path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("sealpost: %w", err)
	}
	var content headFileContent
	isHeads := len(text) <= headFileBytesMax && json.Unmarshal(text, &content) == nil
	if !isHeads || content.Sealpost != "heads" || content.Version != 1 || content.Heads == nil {
		return empty, fmt.Errorf("%w: %s", ErrHeadFile, file.path)
	}
	return content, nil
}

func (file headFile) write(content headFileContent, isOurs func() bool) error {
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	temporary := file.path + "." + rand.Text() + ".new"
	defer os.Remove(temporary)
	if err := writeNew(temporary, append(text, '\n')); err != nil {
		return fmt.Errorf("sealpost: %w", err)
	}
	if !isOurs() {
		return errLockLost
	}
	return os.Rename(temporary, file.path)
}

func writeNew(path string, text []byte) error {
	created, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = created.Write(text)
	return errors.Join(err, created.Sync(), created.Close())
}

// withLock runs work while nobody else holds the lock. isOurs: nobody has taken it over, which happens to a program that was halted for long.
func (file headFile) withLock(work func(isOurs func() bool) error) error {
	lock, token := file.path+".lock", []byte(rand.Text())
	for {
		err := writeNew(lock, token)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("sealpost: %w", err)
		}
		if err := removeOld(lock); err != nil {
			return err
		}
		time.Sleep(lockPause)
	}
	isOurs := func() bool {
		text, err := os.ReadFile(lock)
		return err == nil && bytes.Equal(text, token)
	}
	defer func() {
		if isOurs() {
			os.Remove(lock)
		}
	}()
	return work(isOurs)
}

// removeOld goes by the clock of the disk alone, which may be another machine's: the lock's time is compared with that of a file made now.
func removeOld(lock string) error {
	before, err := os.Stat(lock)
	if err != nil {
		return nil // it is gone
	}
	probe := lock + "." + rand.Text()
	defer os.Remove(probe)
	if err := writeNew(probe, nil); err != nil {
		return fmt.Errorf("sealpost: %w", err)
	}
	now, err := os.Stat(probe)
	if err != nil || now.ModTime().Sub(before.ModTime()) < lockAgeMax {
		return nil
	}
	if err := os.Rename(lock, probe); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sealpost: %w", err)
	}
	return nil
}
