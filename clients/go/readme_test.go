package sealpost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheProgramsOfTheGuideAreThoseThatAreCompiled(t *testing.T) {
	guide, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob(filepath.Join("examples", "*", "main.go"))
	if err != nil || len(programs) != 2 {
		t.Fatal(programs, err)
	}
	for _, program := range programs {
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		_, code, found := strings.Cut(string(text), "\n")
		if !found || !strings.Contains(string(guide), "```go\n"+code+"```\n") {
			t.Errorf("the guide does not show %s", program)
		}
	}
}
