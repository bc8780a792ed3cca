// The tour by the client that hey-api makes.
import assert from "node:assert/strict";
import { client } from "./generated/client.gen";
import { createProduct, getProduct, listProducts, type ProductInput } from "./generated";

const { URL: host = "", TOKEN = "", TENANT = "" } = process.env;
client.setConfig({ baseUrl: `${host}/v1`, auth: TOKEN });
const path = { tenantId: TENANT };
const lamp: ProductInput = { name: "Lamp", productType: "GOOD", unitOfMeasure: "UNIT" };

const headers = { "Idempotency-Key": crypto.randomUUID() };
const made = await createProduct({ path, headers, body: lamp });
assert.ok(made.data, JSON.stringify(made.error));
const again = await createProduct({ path, headers, body: lamp });
assert.equal(again.data?.id, made.data.id);
assert.equal(again.response?.headers.get("Idempotency-Replayed"), "true");
const refused = await createProduct({ path, headers, body: { ...lamp, name: "Chair" } });
assert.equal(refused.error?.code, "IDEMPOTENCY_KEY_REUSED");

const read = await getProduct({ path: { ...path, id: made.data.id } });
assert.equal(read.data?.name, lamp.name);
const page = await listProducts({ path, query: { limit: 1 } });
assert.equal(page.data?.items.length, 1);
console.log("toured");
