"""Client of the Stoa commerce platform. `stoa.v1` has the models and calls, generated from the contract."""

from .client import Client
from .paging import iterate, iterate_async
from .problem import ProblemItem, StoaProblem
from .retries import Retries
from .webhooks import Delivery, InvalidDelivery, receive, verify

__all__ = [
    "Client",
    "Delivery",
    "InvalidDelivery",
    "ProblemItem",
    "Retries",
    "StoaProblem",
    "iterate",
    "iterate_async",
    "receive",
    "verify",
]
