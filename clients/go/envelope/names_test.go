package envelope

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

type askedName struct{ Use, OrganizationID, ID, Salt, Commitment, Name string }

type namedList struct {
	Name, OrganizationID, List, Names string
	Trust                             struct{ SigningKey string }
	OrganizationName                  *string
	Members                           map[string]*string
}

type nameVectors struct {
	Council     string
	Lists       []namedList
	Commitments []askedName
	Files       []struct {
		Name, OrganizationID, File, FileBase64 string
		Fillers                                int
		Asked                                  []askedName
	}
}

func TestEachCommitmentIsToOneNameOfOneOwner(t *testing.T) {
	for _, vector := range readVectors[nameVectors](t, "names.json").Commitments {
		known := names{vector.Commitment: {vector.Commitment, vector.Salt, vector.Name}}
		if known.find(vector.Use, vector.OrganizationID, vector.ID, vector.Commitment) != vector.Name {
			t.Errorf("%+v", vector)
		}
	}
}

func TestEachFileOfNamesGivesTheNamesThatItsVectorSays(t *testing.T) {
	for _, vector := range readVectors[nameVectors](t, "names.json").Files {
		file := []byte(vector.File)
		if vector.FileBase64 != "" {
			file, _ = base64.StdEncoding.DecodeString(vector.FileBase64)
		}
		var fillers strings.Builder
		for index := range vector.Fillers {
			fmt.Fprintf(&fillers, `{"commitment":"%s%04dA","salt":"%s","name":"n"}`+"\n", strings.Repeat("-", 38), index, strings.Repeat("A", 43))
		}
		if vector.Fillers > 0 {
			first, others, _ := strings.Cut(string(file), "\n")
			file = []byte(first + "\n" + fillers.String() + others)
		}
		known := parseNames(file, vector.OrganizationID)
		for _, asked := range vector.Asked {
			if got := known.find(asked.Use, vector.OrganizationID, asked.ID, asked.Commitment); got != asked.Name {
				t.Errorf("%s: %q, not %q", vector.Name, got, asked.Name)
			}
		}
	}
}

func TestEachListHasTheNamesThatItsFileProves(t *testing.T) {
	text := func(name *string) string {
		if name == nil {
			return ""
		}
		return *name
	}
	for _, vector := range readVectors[nameVectors](t, "names.json").Lists {
		list, err := VerifyList([]byte(vector.List), []byte(vector.Names), vector.OrganizationID, Trust{SigningKey: vector.Trust.SigningKey})
		if err != nil {
			t.Fatal(vector.Name, err)
		}
		if list.OrganizationName != text(vector.OrganizationName) {
			t.Errorf("%s: %q", vector.Name, list.OrganizationName)
		}
		if len(list.Members) != len(vector.Members) {
			t.Error(vector.Name, len(list.Members))
		}
		then, _ := list.membersAt(list.Head)
		for id, name := range vector.Members {
			if list.Members[id].Name != text(name) || then[id].Name != text(name) {
				t.Errorf("%s: %s is %q", vector.Name, id, list.Members[id].Name)
			}
		}
	}
}
