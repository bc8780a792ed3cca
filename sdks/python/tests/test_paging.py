"""A list is read to its end, and no further than the caller wants."""

import asyncio
import unittest
from dataclasses import dataclass
from itertools import islice
from uuid import UUID, uuid4

from stoa import iterate, iterate_async


@dataclass
class Page:
    items: list[int]
    next_cursor: UUID | None


class Shop:
    """A list of three pages, the second of them empty."""

    def __init__(self) -> None:
        second, third = uuid4(), uuid4()
        self.pages = {None: Page([1, 2], second), second: Page([], third), third: Page([3], None)}
        self.reads: list[tuple[str, int, UUID | None]] = []

    def list_numbers(self, tenant: str, *, limit: int = 50, cursor: UUID | None = None) -> Page:
        self.reads.append((tenant, limit, cursor))
        return self.pages[cursor]

    async def list_numbers_async(self, tenant: str, *, limit: int = 50, cursor: UUID | None = None) -> Page:
        return self.list_numbers(tenant, limit=limit, cursor=cursor)


class PagingTest(unittest.TestCase):
    def test_every_page_is_read_with_the_same_arguments(self) -> None:
        shop = Shop()
        self.assertEqual(list(iterate(shop.list_numbers, "t", limit=2)), [1, 2, 3])
        self.assertEqual(shop.reads, [("t", 2, cursor) for cursor in shop.pages])

    def test_a_page_is_read_when_it_is_wanted(self) -> None:
        shop = Shop()
        self.assertEqual(list(islice(iterate(shop.list_numbers, "t"), 2)), [1, 2])
        self.assertEqual(len(shop.reads), 1)

    def test_a_list_continues_at_a_cursor(self) -> None:
        shop = Shop()
        self.assertEqual(list(iterate(shop.list_numbers, "t", cursor=shop.pages[None].next_cursor)), [3])

    def test_asyncio_does_the_same(self) -> None:
        shop = Shop()

        async def collect() -> list[int]:
            return [item async for item in iterate_async(shop.list_numbers_async, "t", limit=2)]

        self.assertEqual(asyncio.run(collect()), [1, 2, 3])
        self.assertEqual(shop.reads, [("t", 2, cursor) for cursor in shop.pages])
