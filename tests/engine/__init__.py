"""Tests of the engine. What is asserted in these modules is shown as it is in a test."""

import pytest

pytest.register_assert_rewrite("tests.engine.invariants", "tests.engine.machine")
