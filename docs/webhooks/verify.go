// Verifies a delivery of Stoa: verify(secret, timestamp, body, signature). `body` is the raw request body, before any parser.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
)

func verify(secret, timestamp string, body []byte, signature string) bool {
	// The whole secret, `whsec_` included, is the key: it is not decoded.
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hmac.Equal([]byte("v1="+hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

// In a receiver, refuse what is older than five minutes too.
func main() {
	var vectors []struct {
		What, Secret, Timestamp, Body, Signature string
		Valid                                    bool
	}
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &vectors)
	}
	if err != nil {
		panic(err)
	}
	for _, one := range vectors {
		if verify(one.Secret, one.Timestamp, []byte(one.Body), one.Signature) != one.Valid {
			panic(one.What)
		}
	}
	fmt.Println("ok")
}
