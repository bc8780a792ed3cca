"""Verifies a delivery of Stoa: verify(secret, timestamp, body, signature). `body` is the raw request body, before any parser."""
import hashlib
import hmac
import json
import sys


def verify(secret: str, timestamp: str, body: bytes, signature: str) -> bool:
    # The whole secret, `whsec_` included, is the key: it is not decoded.
    mac = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"v1={mac}".encode(), signature.encode())


# In a receiver, refuse what is older than five minutes too: abs(time.time() - int(timestamp)) > 300.
if __name__ == "__main__":
    for one in json.load(open(sys.argv[1], encoding="utf-8")):
        assert verify(one["secret"], one["timestamp"], one["body"].encode(), one["signature"]) == one["valid"], one["what"]
    print("ok")
