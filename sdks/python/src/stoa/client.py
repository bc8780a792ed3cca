"""The client that every call of `stoa.v1.api` takes: the generated one, with retries and typed problems."""

from typing import Any

import httpx
from attrs import define, field

from .retries import AsyncHttpClient, HttpClient, Retries
from .v1.client import AuthenticatedClient


@define
class Client(AuthenticatedClient):
    """`base_url` ends with `/v1`. `token` is a user's access token or an API key.

    `timeout` bounds each attempt. A call that fails raises `StoaProblem`, or an `httpx.TransportError` if no response arrived.
    """

    _timeout: httpx.Timeout | None = field(default=httpx.Timeout(30.0), kw_only=True, alias="timeout")
    retries: Retries = field(factory=Retries, kw_only=True)

    def get_httpx_client(self) -> httpx.Client:
        if self._client is None:
            self._client = HttpClient(self.retries, **self._options())
        return self._client

    def get_async_httpx_client(self) -> httpx.AsyncClient:
        if self._async_client is None:
            self._async_client = AsyncHttpClient(self.retries, **self._options())
        return self._async_client

    def _options(self) -> dict[str, Any]:
        return {
            "base_url": self._base_url,
            "cookies": self._cookies,
            "headers": {**self._headers, self.auth_header_name: f"{self.prefix} {self.token}".strip()},
            "timeout": self._timeout,
            "verify": self._verify_ssl,
            "follow_redirects": self._follow_redirects,
            **self._httpx_args,
        }
