import assert from "node:assert/strict";
import test from "node:test";

import { createStoa, StoaProblem } from "../dist/index.js";
import { send, sleep } from "../dist/retry.js";
import { cut, lost, problem, script } from "./hosts.mjs";

const made = () => Response.json({ id: "1" }, { status: 201 });
const write = () => new Request("http://stoa.test/v1/x", { method: "POST", body: '{"name":"Lamp"}' });

test("a request without a response, and 429, 500, 502, 503 and 504, are sent again", async () => {
  const failures = [lost, cut, ...[429, 500, 502, 503, 504].map((status) => problem(status, "X"))];
  for (const failure of failures) {
    const host = script(failure, made);
    const response = await send(write(), {}, host);
    assert.deepEqual(await response.json(), { id: "1" });
    assert.deepEqual(host.requests.map(({ body }) => body), ['{"name":"Lamp"}', '{"name":"Lamp"}']);
  }
});

test("another rejection is not sent again", async () => {
  for (const status of [400, 401, 403, 404, 409, 412, 413]) {
    const host = script(problem(status, "X"), made);
    assert.equal((await send(write(), {}, host)).status, status);
    assert.equal(host.requests.length, 1);
  }
});

test("waits grow to a bound and are random", async () => {
  const host = script(lost);
  await assert.rejects(send(write(), { retries: 6 }, host), TypeError);
  assert.deepEqual(host.waits, [250, 500, 1000, 2000, 4000, 4000]);
});

test("the client waits for Retry-After, in seconds or as a date", async () => {
  const host = script(problem(429, "RATE_LIMITED", { "Retry-After": "7" }), made);
  await send(write(), {}, host);
  assert.deepEqual(host.waits, [7250]);
  const day = 86_400_000;
  const tomorrow = new Date(Date.now() + day).toUTCString();
  const date = script(problem(503, "X", { "Retry-After": tomorrow }), made);
  await send(write(), { longestWait: 2 * day }, date);
  assert.ok(date.waits[0] > day / 2 && date.waits[0] <= day + 250, `${date.waits}`);
});

test("a wait that is too long is the caller's", async () => {
  const host = script(problem(429, "QUOTA_EXCEEDED", { "Retry-After": "86400" }), made);
  assert.equal((await send(write(), {}, host)).status, 429);
  assert.equal(host.requests.length, 1);
});

test("the last failure is the result", async () => {
  const host = script(problem(503, "UNAVAILABLE"));
  assert.equal((await send(write(), { retries: 2 }, host)).status, 503);
  assert.equal(host.requests.length, 3);
});

test("an attempt without a response in time is sent again", async () => {
  const hangs = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const host = script(hangs, made);
  assert.equal((await send(write(), { timeout: 10 }, host)).status, 201);
  assert.equal(host.requests.length, 2);
});

test("an aborted call is not sent again", async () => {
  const caller = new AbortController();
  const request = new Request(write(), { signal: caller.signal });
  const host = script(() => {
    caller.abort();
    throw caller.signal.reason;
  });
  await assert.rejects(send(request, {}, host), { name: "AbortError" });
  assert.equal(host.requests.length, 1);
});

test("an abort ends a wait", async () => {
  const caller = new AbortController();
  const waiting = sleep(3_600_000, caller.signal);
  caller.abort();
  await assert.rejects(waiting, { name: "AbortError" });
});

const path = "/tenants/{tenantId}/catalog/products";
const product = { params: { path: { tenantId: "t" } }, body: { name: "Lamp", productType: "GOOD", unitOfMeasure: "UNIT" } };

test("a call makes one key, and each attempt has it", async () => {
  const host = script(problem(500, "INTERNAL"), made);
  const stoa = createStoa({ url: "http://stoa.test/", token: "secret", fetch: host.fetch });
  await stoa.POST(path, product);
  await stoa.POST(path, product);
  const keys = host.requests.map(({ key }) => key);
  assert.match(keys[0], /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  assert.deepEqual([keys[1], keys.length, new Set(keys).size], [keys[0], 3, 2]);
  assert.equal(host.requests[0].url, "http://stoa.test/v1/tenants/t/catalog/products");
  assert.equal(host.requests[0].token, "Bearer secret");
});

test("the caller's own key is sent as it is", async () => {
  const host = script(lost, made);
  const stoa = createStoa({ url: "http://stoa.test", token: async () => "fresh", fetch: host.fetch });
  const key = crypto.randomUUID();
  await stoa.POST(path, { ...product, params: { ...product.params, header: { "Idempotency-Key": key } } });
  assert.deepEqual(host.requests.map(({ key, token }) => [key, token]), Array(2).fill([key, "Bearer fresh"]));
});

test("a read has no key", async () => {
  const host = script(() => Response.json({ items: [], nextCursor: null }));
  await createStoa({ url: "http://stoa.test", token: "t", fetch: host.fetch }).GET(path, { params: product.params });
  assert.equal(host.requests[0].key, null);
});

test("a failure that remains is thrown as the problem", async () => {
  const host = script(problem(503, "UNAVAILABLE", { "Retry-After": "1" }));
  const stoa = createStoa({ url: "http://stoa.test", token: "t", fetch: host.fetch, retries: 0 });
  const error = await stoa.POST(path, product).catch((error) => error);
  assert.ok(error instanceof StoaProblem);
  assert.deepEqual([error.code, error.status, error.retryAfter], ["UNAVAILABLE", 503, 1]);
});
