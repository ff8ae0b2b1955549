// A receiver of webhooks that verifies and opens.
package main

import (
	"log"
	"net/http"
	"os"

	sealpost "sealpost-go"
)

func main() {
	key, err := sealpost.ReadKeyFile(os.Getenv("SEALPOST_PRIVATE_KEY_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	secret, keys := os.Getenv("SEALPOST_WEBHOOK_SECRET"), []*sealpost.OpeningKey{key}
	receiver, err := sealpost.NewReceiver(sealpost.ReceiverOptions{Secret: secret, Keys: keys})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /webhook", func(response http.ResponseWriter, request *http.Request) {
		delivery, err := receiver.Receive(request)
		if err != nil {
			log.Print("refused: ", err)
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		response.WriteHeader(http.StatusNoContent) // the same whether it opened or not
		if event, ok := delivery.Event.(*sealpost.SubmissionCreated); ok && !event.Test {
			log.Println(delivery.ID, event.Fields, event.Err)
		}
	})
	log.Fatal(http.ListenAndServe(":3000", nil))
}
