"""The tour by the client that openapi-generator makes for Python."""

import os
import uuid

from openapi_client import ApiClient, ApiException, CatalogApi, Configuration, ProductInput

configuration = Configuration(host=f"{os.environ['URL']}/v1", access_token=os.environ["TOKEN"])
catalog = CatalogApi(ApiClient(configuration))
tenant = uuid.UUID(os.environ["TENANT"])


def lamp(name: str) -> ProductInput:
    return ProductInput(name=name, productType="GOOD", unitOfMeasure="UNIT")


key = str(uuid.uuid4())
made = catalog.create_product(tenant, key, lamp("Lamp"))
again = catalog.create_product_with_http_info(tenant, key, lamp("Lamp"))
assert again.data.id == made.id
assert again.headers is not None and again.headers["idempotency-replayed"] == "true"
try:
    catalog.create_product(tenant, key, lamp("Chair"))
    raise AssertionError("it is not refused")
except ApiException as refused:
    assert refused.status == 409 and "IDEMPOTENCY_KEY_REUSED" in str(refused.body), refused

assert catalog.get_product(tenant, made.id).name == "Lamp"
assert len(catalog.list_products(tenant, limit=1).items) == 1
print("toured")
