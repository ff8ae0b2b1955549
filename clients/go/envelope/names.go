package envelope

import (
	"bytes"
	"encoding/json"
	"strings"
)

const (
	namesFormat      = "sealpost-names/1"
	nameLinesMax     = 4096
	nameLineBytesMax = 640
)

// names are the lines of a file of names by their commitments, none of which was computed. Signed lists have the commitments alone.
type names map[string]nameLine

type nameLine struct {
	Commitment string `json:"commitment"`
	Salt       string `json:"salt"`
	Name       string `json:"name"`
}

// parseNames gives no name at all where the file is not in the format.
func parseNames(file []byte, organizationID string) names {
	if len(file) > (nameLinesMax+1)*(nameLineBytesMax+1) {
		return nil
	}
	lines, ok := splitLines(file)
	first, err := json.Marshal(struct {
		Format         string `json:"format"`
		OrganizationID string `json:"organizationId"`
	}{namesFormat, organizationID})
	if !ok || err != nil || len(lines) > nameLinesMax+1 || !bytes.Equal(lines[0], first) {
		return nil
	}
	known, before := names{}, ""
	for _, line := range lines[1:] {
		var one nameLine
		if len(line) > nameLineBytesMax || !parseLine(line, &one) || !one.isWellFormed() || one.Commitment <= before {
			return nil
		}
		known[one.Commitment], before = one, one.Commitment
	}
	return known
}

func (line nameLine) isWellFormed() bool {
	return isHash(line.Commitment) && isHash(line.Salt) && namePattern.MatchString(line.Name)
}

// find gives the name that a commitment of an entry is to. Empty: it is missing, or its line does not prove it. The use is member or organization, whose id
// is the organization's.
func (known names) find(use, organizationID, id, commitment string) string {
	line, isThere := known[commitment]
	text := strings.Join([]string{"sealpost-name/1", use, organizationID, id, line.Salt, line.Name}, "\n")
	if !isThere || hashOf([]byte(text)) != commitment {
		return ""
	}
	return line.Name
}
