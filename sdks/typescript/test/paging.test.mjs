import assert from "node:assert/strict";
import test from "node:test";

import { createStoa, StoaProblem } from "../dist/index.js";
import { problem, script } from "./hosts.mjs";

const page = (items, nextCursor) => () => Response.json({ items, nextCursor });
const path = "/tenants/{tenantId}/catalog/products";

async function read(host, query) {
  const stoa = createStoa({ url: "http://stoa.test", token: "t", fetch: host.fetch, retries: 0 });
  const items = [];
  for await (const item of stoa.items(path, { params: { path: { tenantId: "t" }, query } })) items.push(item);
  return items;
}
const queries = (host) => host.requests.map(({ url }) => new URL(url).search);

test("a list is read to its end, past pages that are empty", async () => {
  const host = script(page([1, 2], "a"), page([], "b"), page([3], null));
  assert.deepEqual(await read(host, { limit: 2 }), [1, 2, 3]);
  assert.deepEqual(queries(host), ["?limit=2", "?limit=2&cursor=a", "?limit=2&cursor=b"]);
});

test("a list without a query is read, and one from the caller's cursor", async () => {
  const host = script(page([1], "a"), page([2], null), page([3], null));
  assert.deepEqual(await read(host), [1, 2]);
  assert.deepEqual(await read(host, { cursor: "c" }), [3]);
  assert.deepEqual(queries(host), ["", "?cursor=a", "?cursor=c"]);
});

test("a page is read only when its items are wanted", async () => {
  const host = script(page([1, 2], "a"));
  const stoa = createStoa({ url: "http://stoa.test", token: "t", fetch: host.fetch });
  for await (const item of stoa.items(path, { params: { path: { tenantId: "t" } } })) if (item === 2) break;
  assert.equal(host.requests.length, 1);
});

test("a rejected page ends the iteration with its problem", async () => {
  const host = script(page([1], "a"), problem(403, "MEMBERSHIP_REQUIRED"));
  await assert.rejects(read(host), (error) => error instanceof StoaProblem && error.code === "MEMBERSHIP_REQUIRED");
});
