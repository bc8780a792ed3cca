"""The tour by the client that openapi-python-client makes."""

import os
import uuid

from stoa_client import AuthenticatedClient
from stoa_client.api.catalog import create_product, get_product, list_products
from stoa_client.models import Product, ProblemDetails, ProductInput, ProductPage

client = AuthenticatedClient(base_url=f"{os.environ['URL']}/v1", token=os.environ["TOKEN"])
tenant = uuid.UUID(os.environ["TENANT"])


def lamp(name: str) -> ProductInput:
    return ProductInput.from_dict({"name": name, "productType": "GOOD", "unitOfMeasure": "UNIT"})


key = str(uuid.uuid4())
made = create_product.sync(tenant, client=client, body=lamp("Lamp"), idempotency_key=key)
assert isinstance(made, Product), made
again = create_product.sync_detailed(tenant, client=client, body=lamp("Lamp"), idempotency_key=key)
assert isinstance(again.parsed, Product) and again.parsed.id == made.id
assert again.headers["Idempotency-Replayed"] == "true"
refused = create_product.sync(tenant, client=client, body=lamp("Chair"), idempotency_key=key)
assert isinstance(refused, ProblemDetails) and refused.code == "IDEMPOTENCY_KEY_REUSED", refused

read = get_product.sync(tenant, made.id, client=client)
assert isinstance(read, Product) and read.name == "Lamp"
page = list_products.sync(tenant, client=client, limit=1)
assert isinstance(page, ProductPage) and len(page.items) == 1
print("toured")
