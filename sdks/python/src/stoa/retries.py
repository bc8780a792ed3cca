"""Retries with the same `Idempotency-Key`, as the guide of the host describes them: a write has one effect at most."""

import asyncio
import random
import time
import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any

import httpx

from .problem import StoaProblem

IDEMPOTENCY_KEY = "Idempotency-Key"
READS = frozenset({"GET", "HEAD", "OPTIONS"})

# The guide allows a retry after these only. Any other rejection remains until the caller changes something.
RETRIED_STATUSES = frozenset({429, 500, 503})

# The request may have arrived, and its response was lost.
RETRIED_ERRORS = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)


@dataclass(frozen=True)
class Retries:
    """How often and how soon a request is sent again. `attempts` counts the first one, and 1 means no retry.

    A request is not retried if `Retry-After` is longer than `longest_delay`: a monthly quota does not end within a minute.
    """

    attempts: int = 5
    first_delay: float = 0.5
    longest_delay: float = 60.0

    def choose_delay(self, attempt: int, response: httpx.Response | None) -> float | None:
        """Seconds until the next attempt, or None if there is none. Without a response the network failed."""
        if attempt >= self.attempts:
            return None
        if response is not None:
            if response.status_code not in RETRIED_STATUSES:
                return None
            asked = read_retry_after(response)
            if asked is not None:
                return asked + random.uniform(0, self.first_delay) if asked <= self.longest_delay else None
        backoff = min(self.first_delay * 2 ** (attempt - 1), self.longest_delay)
        return random.uniform(backoff / 2, backoff)


def read_retry_after(response: httpx.Response) -> float | None:
    """Seconds of `Retry-After`, which has a number from the host and may have a date from a proxy."""
    text = response.headers.get("Retry-After", "")
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        return None
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())


def add_key(request: httpx.Request) -> None:
    """Gives a write a key of its own, unless the caller has chosen one."""
    if request.method not in READS and IDEMPOTENCY_KEY not in request.headers:
        request.headers[IDEMPOTENCY_KEY] = str(uuid.uuid4())


class HttpClient(httpx.Client):
    """Sends a request until it succeeds, or until `retries` has no further attempt."""

    def __init__(self, retries: Retries, **options: Any) -> None:
        super().__init__(**options)
        self.retries = retries

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        add_key(request)
        for attempt in count(1):
            try:
                response = super().send(request, **options)
            except RETRIED_ERRORS:
                delay = self.retries.choose_delay(attempt, None)
                if delay is None:
                    raise
            else:
                if not response.is_error:
                    return response
                response.read()
                delay = self.retries.choose_delay(attempt, response)
                if delay is None:
                    raise StoaProblem.from_response(response)
            time.sleep(delay)
        raise AssertionError("the loop has no end")


class AsyncHttpClient(httpx.AsyncClient):
    """The same for `asyncio`."""

    def __init__(self, retries: Retries, **options: Any) -> None:
        super().__init__(**options)
        self.retries = retries

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        add_key(request)
        for attempt in count(1):
            try:
                response = await super().send(request, **options)
            except RETRIED_ERRORS:
                delay = self.retries.choose_delay(attempt, None)
                if delay is None:
                    raise
            else:
                if not response.is_error:
                    return response
                await response.aread()
                delay = self.retries.choose_delay(attempt, response)
                if delay is None:
                    raise StoaProblem.from_response(response)
            await asyncio.sleep(delay)
        raise AssertionError("the loop has no end")
