"""A rejection by the host, as an exception."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import httpx


@dataclass(frozen=True)
class ProblemItem:
    """A broken rule and its location: a JSON pointer into the body, or below `/path`, `/query` or `/header`."""

    pointer: str
    code: str
    expected: Mapping[str, Any] | None = None
    """The rule, in words of JSON Schema."""
    conflicts_with: str | None = None
    """The id of the record that is in the way, if the caller may read it."""


class StoaProblem(Exception):
    """A response with an error status. Decide by `code`, and state `request_id` when you ask for help.

    Codes are texts, because a later host has more of them. `code` is empty if the response is not from the host but from a
    proxy. `body` has every member of the response.
    """

    def __init__(self, status: int, body: Mapping[str, Any], request_id: str) -> None:
        super().__init__(status, body, request_id)
        self.status = status
        self.body = body
        self.code = read_text(body, "code")
        self.detail = read_text(body, "detail")
        self.request_id = read_text(body, "requestId") or request_id
        items = body.get("errors")
        self.errors = [read_item(item) for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    def __str__(self) -> str:
        items = "".join(f"; {item.code} at {item.pointer or 'the body'}" for item in self.errors)
        return f"{self.status} {self.code}: {self.detail}{items} (request {self.request_id})"

    @classmethod
    def from_response(cls, response: httpx.Response) -> Self:
        try:
            body = response.json()
        except ValueError:
            body = None
        return cls(response.status_code, body if isinstance(body, dict) else {}, response.headers.get("X-Request-Id", ""))


def read_text(members: Mapping[str, Any], name: str) -> str:
    value = members.get(name)
    return value if isinstance(value, str) else ""


def read_item(item: Mapping[str, Any]) -> ProblemItem:
    expected = item.get("expected")
    return ProblemItem(
        pointer=read_text(item, "pointer"),
        code=read_text(item, "code"),
        expected=expected if isinstance(expected, dict) else None,
        conflicts_with=read_text(item, "conflictsWith") or None,
    )
