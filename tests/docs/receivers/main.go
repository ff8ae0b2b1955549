package main

import (
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var asked struct {
		Cases []struct {
			Secret  string
			Headers map[string]string
			Body    []byte
		}
		Keys     map[string]map[string]string
		Openings []struct {
			FormID     string
			Submission Submission
			Keys       []string
		}
	}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	keys := map[string]*rsa.PrivateKey{}
	for name, jwk := range asked.Keys {
		key, err := privateKey(jwk)
		if err != nil {
			panic(err)
		}
		keys[name] = key
	}
	verdicts := []bool{}
	for _, c := range asked.Cases {
		header := http.Header{}
		for name, value := range c.Headers {
			header.Set(name, value)
		}
		verdicts = append(verdicts, verify(c.Secret, header, c.Body))
	}
	opened := [][]map[string]any{}
	for _, opening := range asked.Openings {
		results := []map[string]any{}
		for _, name := range opening.Keys {
			results = append(results, openSubmission(keys[name], opening.FormID, opening.Submission))
		}
		opened = append(opened, results)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"verdicts": verdicts, "opened": opened})
}
