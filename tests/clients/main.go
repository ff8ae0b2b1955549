// Three calls with the client that oapi-codegen made: see scripts/check-clients.ts.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example/sealpost"
)

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("SEALPOST_TOKEN"))
		return nil
	}
	client, err := sealpost.NewClientWithResponses(os.Getenv("SEALPOST_URL"), sealpost.WithRequestEditorFn(authorize))
	check(err)
	var body sealpost.CreateFormJSONRequestBody
	body.Name = "Made in Go"
	created, err := client.CreateFormWithResponse(context.Background(), body)
	check(err)
	if created.JSON200 == nil {
		panic(string(created.Body))
	}
	id := created.JSON200.Form.Id
	got, err := client.GetFormWithResponse(context.Background(), id)
	check(err)
	limit := 100
	list, err := client.ListFormsWithResponse(context.Background(), &sealpost.ListFormsParams{Limit: &limit})
	check(err)
	fmt.Println(got.JSON200.Form.Name, got.JSON200.Form.Settings.Encryption, list.JSON200.Forms[0].Id == id, list.JSON200.NextCursor == nil)
}

// The events that a receiver gets have types too.
var _ sealpost.SubmissionCreatedEvent
var _ sealpost.FormKeysRotatedEvent

func check(err error) {
	if err != nil {
		panic(err)
	}
}
