// miniredis listens on the address of its argument, in place of Redis.
package main

import (
	"log"
	"os"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	if err := miniredis.NewMiniRedis().StartAddr(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	select {}
}
