"""What a compression strategy is: a name, a sentence, parameters, and a function from a window to a window."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from sessions_app.engine import Compressed, Fault, Toolbox, Window


class Parameters(BaseModel):
    """Parameters of a built-in strategy: nothing is guessed, so that a mistyped member is an answer and no default."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Strategy:
    """Base of all strategies, the built-in and the custom ones.

    The first line of a strategy's docstring is what people read where they choose one. `Params` declares the parameters
    once: validation, JSON Schema and form follow from it.
    """

    name: ClassVar[str] = ""
    needs_model: ClassVar[bool] = False
    stands_in: ClassVar[bool] = False
    """Whether `compress` does without its model where `tools.may_ask_model` is false: by another strategy, which it
    names."""
    Params: ClassVar[type[BaseModel]] = Parameters

    @property
    def summary(self) -> str:
        lines = (type(self).__doc__ or "").strip().splitlines()
        return lines[0].strip() if lines else ""

    @property
    def available(self) -> bool:
        return not self.why

    @property
    def why(self) -> str:
        """Why it cannot be used here and now; empty where it can."""
        return ""

    def asks_model(self, params: Any) -> bool:
        """Whether it cannot do without a model under these parameters: such a one does not run after an append."""
        return self.needs_model

    def faults(self, params: Any) -> list[Fault]:
        """What is wrong with parameters beyond what `Params` can say, by pointer: `/steps/0/strategy`."""
        return []

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window | Compressed:
        """A smaller window, or `window` itself, or CannotCompress with a sentence.

        Pure: the same window gives the same bytes, and its own output comes back as it is. The engine checks the rules
        on what it gives. `Compressed` says more than the window, where another strategy or a model had a part in it.
        """
        raise NotImplementedError
