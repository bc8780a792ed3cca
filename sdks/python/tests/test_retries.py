"""Each attempt has the same key, and only those failures are retried that the guide says are safe."""

import asyncio
import unittest
from collections.abc import Iterable
from unittest.mock import AsyncMock, patch
from uuid import UUID

import httpx

from stoa import Client, Retries, StoaProblem
from stoa.retries import IDEMPOTENCY_KEY

Outcome = httpx.Response | Exception


class Network:
    """Responds to each request with the next outcome, and keeps the requests."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self.outcomes = iter(outcomes)
        self.requests: list[httpx.Request] = []

    def respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        outcome = next(self.outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def keys(self) -> list[str | None]:
        return [request.headers.get(IDEMPOTENCY_KEY) for request in self.requests]


def fail(status: int, code: str = "", **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"code": code}, headers={name.replace("_", "-"): v for name, v in headers.items()})


def connect(network: Network, retries: Retries = Retries()) -> Client:
    transport = httpx.MockTransport(network.respond)
    return Client("https://stoa.example/v1", token="t", retries=retries, httpx_args={"transport": transport})


class RetriesTest(unittest.TestCase):
    def setUp(self) -> None:
        sleep = patch("stoa.retries.time.sleep")
        self.sleep = sleep.start()
        self.addCleanup(sleep.stop)

    def send(self, outcomes: Iterable[Outcome], method: str = "POST", **options: object) -> Network:
        network = Network(outcomes)
        connect(network).get_httpx_client().request(method, "products", json={"name": "Lamp"}, **options)  # type: ignore[arg-type]
        return network

    def delays(self) -> list[float]:
        return [call.args[0] for call in self.sleep.call_args_list]

    def test_every_attempt_has_the_same_key_and_body(self) -> None:
        lost = httpx.ReadError("the connection is cut")
        network = self.send([lost, fail(503, Retry_After="1"), fail(500), fail(429, Retry_After="2"), httpx.Response(201)])
        self.assertEqual(len(network.requests), 5)
        self.assertEqual(len(set(network.keys())), 1)
        self.assertEqual(UUID(network.keys()[0]).version, 4)
        self.assertEqual({request.content for request in network.requests}, {b'{"name":"Lamp"}'})

    def test_every_call_has_its_own_key(self) -> None:
        one, other = self.send([httpx.Response(201)]), self.send([httpx.Response(201)])
        self.assertNotEqual(one.keys(), other.keys())

    def test_the_callers_key_is_kept(self) -> None:
        key = "01994d2f-5a00-4c3e-9b1d-2f6a8e4c7d01"
        network = self.send([fail(500), httpx.Response(201)], headers={IDEMPOTENCY_KEY: key})
        self.assertEqual(network.keys(), [key, key])

    def test_a_read_has_no_key(self) -> None:
        network = self.send([fail(500), httpx.Response(200)], method="GET")
        self.assertEqual(network.keys(), [None, None])

    def test_retry_after_is_respected(self) -> None:
        self.send([fail(429, Retry_After="7"), fail(503, Retry_After="60"), httpx.Response(201)])
        first, second = self.delays()
        self.assertTrue(7 <= first <= 7.5, first)
        self.assertTrue(60 <= second <= 60.5, second)

    def test_retry_after_may_be_a_date(self) -> None:
        self.send([fail(503, Retry_After="Thu, 01 Jan 1970 00:00:00 GMT"), httpx.Response(201)])
        self.assertLessEqual(self.delays()[0], 0.5)

    def test_delays_grow_and_are_random(self) -> None:
        self.send([fail(500)] * 4 + [httpx.Response(201)])
        for delay, most in zip(self.delays(), [0.5, 1, 2, 4], strict=True):
            self.assertTrue(most / 2 <= delay <= most, delay)
        self.send([fail(500)] * 4 + [httpx.Response(201)])
        self.assertEqual(len(set(self.delays())), 8)

    def test_other_rejections_are_not_retried(self) -> None:
        for status in [400, 401, 403, 404, 409, 412, 413, 501, 502, 504]:
            network = Network([fail(status, "CODE")])
            with self.subTest(status), self.assertRaises(StoaProblem) as raised:
                connect(network).get_httpx_client().post("products")
            self.assertEqual((raised.exception.status, raised.exception.code), (status, "CODE"))

    def test_a_quota_is_not_awaited(self) -> None:
        with self.assertRaises(StoaProblem) as raised:
            self.send([fail(429, "QUOTA_EXCEEDED", Retry_After="86400")])
        self.assertEqual((raised.exception.code, self.delays()), ("QUOTA_EXCEEDED", []))

    def test_attempts_are_bounded(self) -> None:
        network = Network([fail(503, "UNAVAILABLE")] * 9)
        with self.assertRaises(StoaProblem):
            connect(network, Retries(attempts=3)).get_httpx_client().post("products")
        self.assertEqual(len(network.requests), 3)
        network = Network([httpx.ConnectError("no route")] * 9)
        with self.assertRaises(httpx.ConnectError):
            connect(network, Retries(attempts=1)).get_httpx_client().post("products")
        self.assertEqual(len(network.requests), 1)

    def test_a_fault_of_the_caller_is_not_retried(self) -> None:
        network = Network([httpx.UnsupportedProtocol("ftp")])
        with self.assertRaises(httpx.UnsupportedProtocol):
            connect(network).get_httpx_client().post("products")
        self.assertEqual(len(network.requests), 1)

    def test_a_changed_client_retries_too(self) -> None:
        network = Network([fail(500), httpx.Response(201)])
        client = connect(network).with_headers({"X-Shop": "1"}).with_timeout(httpx.Timeout(1))
        client.get_httpx_client().post("products")
        self.assertEqual([request.headers["X-Shop"] for request in network.requests], ["1", "1"])
        self.assertEqual({request.headers["Authorization"] for request in network.requests}, {"Bearer t"})

    def test_asyncio_does_the_same(self) -> None:
        network = Network([httpx.ReadError("cut"), fail(503, Retry_After="3"), httpx.Response(201), fail(409, "DUPLICATE")])

        async def call() -> None:
            async with connect(network) as client:
                await client.get_async_httpx_client().post("products")
                await client.get_async_httpx_client().post("products")

        with patch("stoa.retries.asyncio.sleep", new=AsyncMock()) as sleep, self.assertRaises(StoaProblem):
            asyncio.run(call())
        first, second, third, other = network.keys()
        self.assertTrue(first == second == third != other)
        self.assertTrue(3 <= sleep.call_args_list[1].args[0] <= 3.5)


if __name__ == "__main__":
    unittest.main()
