// A receiver of webhooks that opens with an identity of its own, through the envelopes of the forms.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	sealpost "sealpost-go"
	"sealpost-go/envelope"
)

func main() {
	receiver, err := newReceiver(os.Getenv("SEALPOST_IDENTITY_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /webhook", func(response http.ResponseWriter, request *http.Request) {
		delivery, err := receiver.Receive(request)
		response.WriteHeader(statusOf(err))
		if err != nil {
			log.Print("refused: ", err)
		} else if event, ok := delivery.Event.(*sealpost.SubmissionCreated); ok && !event.Test {
			log.Println(delivery.ID, event.Fields, event.Err)
		}
	})
	log.Fatal(http.ListenAndServe(":3000", nil))
}

func newReceiver(identityPath string) (*sealpost.Receiver, error) {
	identity, err := os.ReadFile(identityPath)
	if err != nil {
		return nil, err
	}
	client, err := sealpost.NewClient(os.Getenv("SEALPOST_URL"), sealpost.ClientOptions{Token: os.Getenv("SEALPOST_TOKEN")})
	if err != nil {
		return nil, err
	}
	reader, err := envelope.NewFormReader(envelope.FormReaderOptions{
		Source:   client.EnvelopeSource(),
		Identity: identity,
		Heads:    envelope.NewHeadFile(identityPath + ".heads.json"),
		List:     os.Getenv("SEALPOST_LIST"),
	})
	if err != nil {
		return nil, err
	}
	return sealpost.NewReceiver(sealpost.ReceiverOptions{
		Secret:    os.Getenv("SEALPOST_WEBHOOK_SECRET"),
		Envelopes: envelope.NewFormKeys(reader, sealpost.ParseOpeningKey),
	})
}

// statusOf is 503 where a key could not be had: the delivery then comes again. Whether a submission opened makes no difference.
func statusOf(err error) int {
	switch {
	case err == nil:
		return http.StatusNoContent
	case errors.Is(err, sealpost.ErrKeysUnavailable):
		return http.StatusServiceUnavailable
	}
	return http.StatusUnauthorized
}
