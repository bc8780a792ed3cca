"""Verification of webhooks."""

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Seconds that a delivery's timestamp may be off.
TOLERANCE = 300

# While a secret is rotated, the old one signs the first header and the new one the second.
SIGNATURES = ("x-webhook-signature", "x-webhook-signature-next")


class InvalidDelivery(Exception):
    """The request is not from the host, or too old. Respond 400 and do not process it."""


@dataclass(frozen=True)
class Delivery:
    """A verified event. Process each `event_id` once: the host sends an event again if your response is lost."""

    event_id: str
    kind: str
    body: dict[str, Any]
    """The event. `stoa.v1.models` has a class for each kind."""


def verify(secret: str, timestamp: str, body: bytes, signature: str) -> bool:
    """Returns whether the signature is correct. `body` has the raw bytes, before any parser. The time is not judged."""
    # The whole secret, `whsec_` included, is the key: it is not decoded.
    message = timestamp.encode(errors="replace") + b"." + body
    mac = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"v1={mac}".encode(), signature.encode(errors="replace"))


def receive(secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> Delivery:
    """Returns the event of a request, or raises `InvalidDelivery`. Names of headers are in any case."""
    values = {name.lower(): value for name, value in headers.items()}
    timestamp = values.get("x-webhook-timestamp", "")
    if not any(verify(secret, timestamp, body, values.get(name, "")) for name in SIGNATURES):
        raise InvalidDelivery("no signature is by this secret")
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise InvalidDelivery("the timestamp is no number")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        raise InvalidDelivery(f"the timestamp is more than {TOLERANCE} seconds off")
    try:
        event = json.loads(body)
        return Delivery(event_id=event["id"], kind=event["kind"], body=event)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidDelivery("the body is no event") from error
