// Prints all submissions of all forms of an account.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	sealpost "sealpost-go"
)

func main() {
	ctx := context.Background()
	client, err := sealpost.NewClient(os.Getenv("SEALPOST_URL"), sealpost.ClientOptions{Token: os.Getenv("SEALPOST_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	key, err := sealpost.ReadKeyFile(os.Getenv("SEALPOST_PRIVATE_KEY_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	if err := printAll(ctx, client, []*sealpost.OpeningKey{key}); err != nil {
		var refused *sealpost.APIError
		if errors.As(err, &refused) {
			log.Fatal(refused.Status, " ", refused.Code, ": ", refused.Message)
		}
		log.Fatal(err)
	}
}

func printAll(ctx context.Context, client *sealpost.Client, keys []*sealpost.OpeningKey) error {
	for form, err := range client.Forms.All(ctx) {
		if err != nil {
			return err
		}
		for submission, err := range client.Submissions.Export(ctx, form.ID, sealpost.ExportOptions{}) {
			if err != nil {
				return err
			}
			fields, err := submission.Open(keys)
			fmt.Println(submission.ID, fields, err)
		}
	}
	return nil
}
