// The tour by the client that openapi-generator makes for fetch.
import assert from "node:assert/strict";
import { CatalogApi, Configuration, ResponseError, type ProductInput } from "./generated";

const { URL: host = "", TOKEN = "", TENANT: tenantId = "" } = process.env;
const catalog = new CatalogApi(new Configuration({ basePath: `${host}/v1`, accessToken: TOKEN }));
const lamp: ProductInput = { name: "Lamp", productType: "GOOD", unitOfMeasure: "UNIT" };

const idempotencyKey = crypto.randomUUID();
const made = await catalog.createProduct({ tenantId, idempotencyKey, productInput: lamp });
const again = await catalog.createProductRaw({ tenantId, idempotencyKey, productInput: lamp });
assert.equal((await again.value()).id, made.id);
assert.equal(again.raw.headers.get("Idempotency-Replayed"), "true");
const refused = await catalog.createProduct({ tenantId, idempotencyKey, productInput: { ...lamp, name: "Chair" } })
  .catch((error: unknown) => error);
assert.ok(refused instanceof ResponseError);
assert.equal((await refused.response.json()).code, "IDEMPOTENCY_KEY_REUSED");

assert.equal((await catalog.getProduct({ tenantId, id: made.id })).name, lamp.name);
assert.equal((await catalog.listProducts({ tenantId, limit: 1 })).items.length, 1);
console.log("toured");
