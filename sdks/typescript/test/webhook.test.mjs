import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

import { isSigned, verifyWebhook, WebhookRejected } from "../dist/index.js";

// Those of every verifier of the project.
const vectors = JSON.parse(readFileSync(new URL("../../../docs/webhooks/vectors.json", import.meta.url), "utf8"));

test("the vectors", async (one) => {
  assert.ok(vectors.length >= 9);
  for (const { what, secret, timestamp, body, signature, valid } of vectors) {
    await one.test(what, async () => {
      assert.equal(await isSigned(secret, timestamp, body, signature), valid);
      assert.equal(await isSigned(secret, timestamp, Buffer.from(body), signature), valid);
    });
  }
});

const body = '{"id":"1","kind":"sale.completed","data":{"total":"19.900000"}}';
const sign = (secret, timestamp) => `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
const headers = (secret, timestamp = "1000", next) => ({
  "x-webhook-timestamp": timestamp,
  "x-webhook-signature": sign(secret, timestamp),
  ...(next && { "x-webhook-signature-next": sign(next, timestamp) }),
});

test("a delivery is its event, from the headers of Node and of the web", async () => {
  for (const form of [(plain) => plain, (plain) => new Headers(plain)]) {
    for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body).buffer]) {
      const event = await verifyWebhook(raw, form(headers("old")), "old", { now: 1000 });
      assert.deepEqual(event, JSON.parse(body));
    }
  }
});

const isRejected = (error) => error instanceof WebhookRejected;

test("a delivery that is too old, or of a time to come, is rejected", async () => {
  for (const now of [700, 1300]) await verifyWebhook(body, headers("old"), "old", { now });
  for (const now of [699, 1301]) await assert.rejects(verifyWebhook(body, headers("old"), "old", { now }), isRejected);
  await assert.rejects(verifyWebhook(body, headers("old", "soon"), "old", { now: 1000 }), isRejected);
  await assert.rejects(verifyWebhook(body, headers("old"), "old"), isRejected);
});

test("a forged, unsigned or foreign delivery is rejected", async () => {
  const other = body.replace("19.9", "99.9");
  await assert.rejects(verifyWebhook(other, headers("old"), "old", { now: 1000 }), isRejected);
  await assert.rejects(verifyWebhook(body, {}, "old", { now: 1000 }), isRejected);
  for (const secrets of ["other", "", []]) {
    await assert.rejects(verifyWebhook(body, headers("old"), secrets, { now: 1000 }), isRejected);
  }
});

test("both secrets of a rotation are accepted", async () => {
  const both = headers("old", "1000", "new");
  for (const secrets of ["old", "new", ["old", "new"]]) await verifyWebhook(body, both, secrets, { now: 1000 });
  await assert.rejects(verifyWebhook(body, both, "other", { now: 1000 }), isRejected);
});
