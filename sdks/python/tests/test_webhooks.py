"""The vectors of the documentation are judged as they say, and a delivery has its time checked."""

import hashlib
import hmac
import json
import unittest
from pathlib import Path

from stoa import InvalidDelivery, receive, verify

VECTORS = Path(__file__).parents[3] / "docs" / "webhooks" / "vectors.json"
SECRET = "whsec_AAAAAAAAAAAAAAAAAAAA-_bbbbbbbbbbbbbbbbbbbbb"
NOW = 1767225600
BODY = b'{"id":"01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d01","kind":"webhook.test","data":{}}'


def sign(secret: str, timestamp: str = str(NOW), body: bytes = BODY) -> str:
    return "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


class WebhooksTest(unittest.TestCase):
    def test_the_vectors_are_judged_as_they_say(self) -> None:
        vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
        self.assertGreater(len(vectors), 5)
        for one in vectors:
            with self.subTest(one["what"]):
                valid = verify(one["secret"], one["timestamp"], one["body"].encode(), one["signature"])
                self.assertEqual(valid, one["valid"])

    def test_a_delivery_is_read(self) -> None:
        headers = {"X-WEBHOOK-Timestamp": str(NOW), "x-webhook-signature": sign(SECRET)}
        delivery = receive(SECRET, headers, BODY, now=NOW + 300)
        self.assertEqual(delivery.event_id, "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d01")
        self.assertEqual((delivery.kind, delivery.body["data"]), ("webhook.test", {}))

    def test_either_secret_is_accepted_while_it_is_rotated(self) -> None:
        old, new = SECRET, "whsec_cccccccccccccccccccccccccccccccccccccccccc"
        headers = {
            "X-Webhook-Timestamp": str(NOW),
            "X-Webhook-Signature": sign(old),
            "X-Webhook-Signature-Next": sign(new),
        }
        for secret in [old, new]:
            self.assertEqual(receive(secret, headers, BODY, now=NOW).kind, "webhook.test")
        with self.assertRaises(InvalidDelivery):
            receive("whsec_another", headers, BODY, now=NOW)

    def test_other_requests_are_rejected(self) -> None:
        def deliver(timestamp: str = str(NOW), signature: str | None = None, body: bytes = BODY, now: int = NOW) -> None:
            signature = sign(SECRET, timestamp, body) if signature is None else signature
            headers = {"X-Webhook-Timestamp": timestamp, "X-Webhook-Signature": signature}
            with self.assertRaises(InvalidDelivery):
                receive(SECRET, headers, body, now=now)

        deliver(now=NOW + 301)
        deliver(now=NOW - 301)
        deliver(timestamp="soon")
        deliver(timestamp="")
        deliver(signature="")
        deliver(signature="v1=é")
        deliver(body=b"[]")
        deliver(body=b"{}")
        deliver(body=b"no JSON")
        with self.assertRaises(InvalidDelivery):
            receive(SECRET, {}, BODY, now=NOW)
