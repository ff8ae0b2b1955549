package envelope

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

type askedName struct{ Use, OrganizationID, ID, Salt, Commitment, Name string }

type nameVectors struct {
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
