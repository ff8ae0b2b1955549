package envelope

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// pauseDefault is how long a version that no envelope gave is not asked for again.
const pauseDefault = 10 * time.Second

// missingMax bounds what a server that names any number of versions can make a program remember.
const missingMax = 100

// formsMax is how many forms are held, those that were asked for last: a server could name any number of them. The keys of another are opened again
// when they are needed.
const formsMax = 10_000

// FormKeys has the keys of forms for a program that runs for long. It may be used by several goroutines at once.
type FormKeys[Key any] struct {
	reader *FormReader
	parse  func([]byte) (Key, error)
	// Pause is how long a version that no envelope gave is not asked for again; 10 seconds unless set. Set it before the first use, as Now.
	Pause time.Duration
	// Now is the clock; time.Now if it is nil.
	Now   func() time.Time
	mutex sync.Mutex
	forms map[string]*list.Element
	// recent has a heldKeys for each form; the one that was asked for last is the first.
	recent *list.List
}

type heldKeys[Key any] struct {
	formID string
	// turn is held by the one that asks the service.
	turn chan struct{}
	// keys are by their versions. What was opened once stays, also if the server withholds the envelope later.
	keys    map[int64]Key
	missing map[int64]missingKey
}

type missingKey struct {
	at      time.Time
	problem error
}

// NewFormKeys takes what reads a key file: sealpost.ParseOpeningKey, so that the result fits sealpost.ReceiverOptions.
func NewFormKeys[Key any](reader *FormReader, parse func([]byte) (Key, error)) *FormKeys[Key] {
	return &FormKeys[Key]{reader: reader, parse: parse, forms: map[string]*list.Element{}, recent: list.New()}
}

// KeysFor gives the keys of a form. Its envelopes are opened at the first use, and again when a submission is sealed to a version that is not among
// them: after a rotation, say. An error says that a key is missing that may be in an envelope which could not be fetched or was refused.
func (keys *FormKeys[Key]) KeysFor(ctx context.Context, formID string, keyVersion int) ([]Key, error) {
	held := keys.of(formID)
	select {
	case held.turn <- struct{}{}:
		defer func() { <-held.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	version, now := int64(keyVersion), keys.now()
	if _, isHeld := held.keys[version]; !isHeld {
		pause := keys.Pause
		if pause == 0 {
			pause = pauseDefault
		}
		missing, wasMissing := held.missing[version]
		if wasMissing && now.Sub(missing.at) < pause {
			if missing.problem != nil {
				return nil, missing.problem
			}
		} else if err := keys.open(ctx, formID, held, version, now); err != nil {
			return nil, err
		}
	}
	all := make([]Key, 0, len(held.keys))
	for _, key := range held.keys {
		all = append(all, key)
	}
	return all, nil
}

func (keys *FormKeys[Key]) now() time.Time {
	if keys.Now == nil {
		return time.Now()
	}
	return keys.Now()
}

func (keys *FormKeys[Key]) of(formID string) *heldKeys[Key] {
	keys.mutex.Lock()
	defer keys.mutex.Unlock()
	if element := keys.forms[formID]; element != nil {
		keys.recent.MoveToFront(element)
		return element.Value.(*heldKeys[Key])
	}
	held := &heldKeys[Key]{formID, make(chan struct{}, 1), map[int64]Key{}, map[int64]missingKey{}}
	keys.forms[formID] = keys.recent.PushFront(held)
	if keys.recent.Len() > formsMax {
		oldest := keys.recent.Remove(keys.recent.Back()).(*heldKeys[Key])
		delete(keys.forms, oldest.formID)
	}
	return held
}

// open asks the service once more. A problem is remembered with the version that it may be about; a broken connection is no reason to wait.
func (keys *FormKeys[Key]) open(ctx context.Context, formID string, held *heldKeys[Key], version int64, now time.Time) error {
	form, err := keys.reader.Open(ctx, formID)
	if err == nil {
		for _, key := range form.Keys {
			if held.keys[key.Version], err = keys.toKey(formID, key); err != nil {
				delete(held.keys, key.Version)
				break
			}
		}
		if err == nil && len(form.Refused) > 0 {
			err = form.Refused[0].Err
		}
	}
	if _, isHeld := held.keys[version]; isHeld {
		return nil
	}
	if len(held.missing) >= missingMax {
		clear(held.missing)
	}
	if err == nil || isRefusal(err) {
		held.missing[version] = missingKey{now, err}
	}
	return err
}

// toKey reads the key as that of a key file, with its labels.
func (keys *FormKeys[Key]) toKey(formID string, key FormKey) (Key, error) {
	file := map[string]any{"formId": formID, "keyVersion": key.Version, "fingerprint": key.Fingerprint, "privateKey": key.PrivateKey}
	if key.HybridPrivateKey != nil {
		file["hybridPrivateKey"], file["hybridFingerprint"] = key.HybridPrivateKey, key.HybridFingerprint
	}
	text, err := json.Marshal(file)
	if err != nil {
		return *new(Key), err
	}
	parsed, err := keys.parse(text)
	if err != nil {
		return parsed, errors.Join(WrongKey, fmt.Errorf("version %d: its parts do not fit each other", key.Version))
	}
	return parsed, nil
}
