package sealpost

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrWrongForm says that the request is signed with the secret of another form than the one that its event names.
var ErrWrongForm = errors.New("sealpost: no signature fits under a secret of the form that the event names")

// parseSecrets gives all secrets of a receiver. An error shows none.
func parseSecrets(secret string, forms map[string][]string) ([]string, error) {
	if (secret == "") == (len(forms) == 0) {
		return nil, errors.New("sealpost: a receiver needs either Secret, of one form, or Secrets, of each form by its id")
	}
	if secret != "" {
		return []string{secret}, checkSecret(secret, "Secret")
	}
	var all []string
	for _, formID := range slices.Sorted(maps.Keys(forms)) {
		if !IsID(KindForm, formID) {
			// Not shown: it could be a secret that came to the place of the id.
			return nil, errors.New("sealpost: Secrets has a name that is not the id of a form, form_…")
		}
		if len(forms[formID]) == 0 {
			return nil, fmt.Errorf("sealpost: Secrets[%s] has no webhook secret", formID)
		}
		for index, one := range forms[formID] {
			if err := checkSecret(one, fmt.Sprintf("Secrets[%s][%d]", formID, index)); err != nil {
				return nil, err
			}
			if slices.Contains(all, one) {
				return nil, errors.New("sealpost: Secrets has one secret twice: each belongs to one form")
			}
			all = append(all, one)
		}
	}
	return all, nil
}

func checkSecret(secret, name string) error {
	if key, ok := decodeSecret(secret); !ok || len(key) < secretBytesMin {
		return fmt.Errorf("sealpost: %s is not a webhook secret: whsec_ and base64, without blanks or line breaks", name)
	}
	return nil
}

// formIDOf gives the form's id also of an event that this version does not know; it is empty where the event names none.
func formIDOf(event Event) string {
	switch event := event.(type) {
	case *UnknownEvent:
		form, _ := event.Body["form"].(map[string]any)
		id, _ := form["id"].(string)
		return id
	case interface{ form() EventForm }:
		return event.form().ID
	}
	return ""
}
