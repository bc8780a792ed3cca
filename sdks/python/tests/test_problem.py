"""A rejection is an exception with its code, and a response that is not from the host is one too."""

import pickle
import unittest

import httpx

from stoa import ProblemItem, StoaProblem

BODY = {
    "type": "about:blank",
    "title": "Bad Request",
    "status": 400,
    "code": "VALIDATION_FAILED",
    "detail": "The request breaks a rule.",
    "requestId": "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d03",
    "errors": [
        {"pointer": "/variants/0/sku", "code": "RANGE", "expected": {"maxLength": 64}},
        {"pointer": "", "code": "A_CODE_OF_A_LATER_HOST", "conflictsWith": "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d04"},
    ],
}


class ProblemTest(unittest.TestCase):
    def test_every_member_is_read(self) -> None:
        problem = StoaProblem.from_response(httpx.Response(400, json=BODY))
        self.assertEqual((problem.status, problem.code), (400, "VALIDATION_FAILED"))
        self.assertEqual(problem.request_id, BODY["requestId"])
        self.assertEqual(
            problem.errors,
            [
                ProblemItem("/variants/0/sku", "RANGE", expected={"maxLength": 64}),
                ProblemItem("", "A_CODE_OF_A_LATER_HOST", conflicts_with="01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d04"),
            ],
        )
        self.assertEqual(problem.body, BODY)
        for text in ["400 VALIDATION_FAILED", "RANGE at /variants/0/sku", "at the body", problem.request_id]:
            self.assertIn(text, str(problem))

    def test_a_proxys_response_has_no_code(self) -> None:
        for content in [b"<html>Bad Gateway</html>", b"", b"[1]", b'{"code": 7, "errors": {}}', b"\xff"]:
            problem = StoaProblem.from_response(httpx.Response(502, content=content, headers={"X-Request-Id": "r"}))
            self.assertEqual((problem.status, problem.code, problem.errors, problem.request_id), (502, "", [], "r"))

    def test_a_worker_may_send_it_to_another_process(self) -> None:
        problem = StoaProblem.from_response(httpx.Response(400, json=BODY))
        self.assertEqual(str(pickle.loads(pickle.dumps(problem))), str(problem))
