// PocketBase as its documentation installs it. With SYNCHRONOUS=FULL each commit waits for the disk, as Sealpost's do.
package main

import (
	"log"
	"os"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
)

func main() {
	config := pocketbase.Config{}
	if os.Getenv("SYNCHRONOUS") == "FULL" {
		config.DBConnect = connectDurably
	}
	if err := pocketbase.NewWithConfig(config).Start(); err != nil {
		log.Fatal(err)
	}
}

// connectDurably is PocketBase's core.DefaultDBConnect, but for synchronous(FULL) instead of NORMAL.
func connectDurably(path string) (*dbx.DB, error) {
	return dbx.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"+
		"&_pragma=journal_size_limit(200000000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)"+
		"&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)&_defensive=1")
}
