// The tour by openapi-fetch, on the types that openapi-typescript makes.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/schema";

const { URL: host = "", TOKEN = "", TENANT = "" } = process.env;
const client = createClient<paths>({ baseUrl: `${host}/v1`, headers: { Authorization: `Bearer ${TOKEN}` } });
const path = { tenantId: TENANT };
const write = (key: string) => ({ path, header: { "Idempotency-Key": key } });
const lamp: components["schemas"]["ProductInput"] = { name: "Lamp", productType: "GOOD", unitOfMeasure: "UNIT" };

const key = crypto.randomUUID();
const made = await client.POST("/tenants/{tenantId}/catalog/products", { params: write(key), body: lamp });
assert.ok(made.data);
const again = await client.POST("/tenants/{tenantId}/catalog/products", { params: write(key), body: lamp });
assert.equal(again.data?.id, made.data.id);
assert.equal(again.response.headers.get("Idempotency-Replayed"), "true");
const chair = { ...lamp, name: "Chair" };
const refused = await client.POST("/tenants/{tenantId}/catalog/products", { params: write(key), body: chair });
assert.equal(refused.error?.code, "IDEMPOTENCY_KEY_REUSED");

const one = { ...path, id: made.data.id };
const read = await client.GET("/tenants/{tenantId}/catalog/products/{id}", { params: { path: one } });
assert.equal(read.data?.name, lamp.name);
const page = await client.GET("/tenants/{tenantId}/catalog/products", { params: { path, query: { limit: 1 } } });
assert.equal(page.data?.items.length, 1);
console.log("toured");
