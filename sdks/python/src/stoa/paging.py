"""All items of a list, page by page."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Page(Protocol[T_co]):
    """The response of every list. It may be empty and still not be the last."""

    @property
    def items(self) -> Sequence[T_co]: ...

    @property
    def next_cursor(self) -> object: ...


def iterate(read_page: Callable[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
    """`iterate(list_products.sync, tenant, client=client, limit=100)` reads each page when its first item is wanted."""
    read: Callable[..., Page[T]] = read_page
    page = read(*args, **kwargs)
    yield from page.items
    while page.next_cursor is not None:
        page = read(*args, **{**kwargs, "cursor": page.next_cursor})
        yield from page.items


async def iterate_async(
    read_page: Callable[P, Awaitable[Page[T]]], *args: P.args, **kwargs: P.kwargs
) -> AsyncIterator[T]:
    """The same for `asyncio`: `iterate_async(list_products.asyncio, tenant, client=client)`."""
    read: Callable[..., Awaitable[Page[T]]] = read_page
    page = await read(*args, **kwargs)
    for item in page.items:
        yield item
    while page.next_cursor is not None:
        page = await read(*args, **{**kwargs, "cursor": page.next_cursor})
        for item in page.items:
            yield item
