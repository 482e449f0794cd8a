"""What the model is asked for, declared once: the prompt, the schema and the check follow from it."""

import json
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError

from sessions_app.compression.digesting.bounded import one_line

_OBJECTS_TRIED: Final = 50
_FAULTS_NAMED: Final = 4
_DECODER: Final = json.JSONDecoder()


class Refused(Exception):
    """The answer is no usable summary. The sentence goes back to the model once, and into the ledger."""


Lines = Annotated[list[str], FailFast()]
"""Checked up to the first fault: there may be a million of them."""


class Answer(BaseModel):
    """Every member must be there, and nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    objective: str = Field(
        description="what the user wants in the end, and where the work stands, in a sentence or two"
    )
    constraints: Lines = Field(description="what must or must not be done, as the user said it")
    decisions: Lines = Field(description="what was decided, and why")
    facts: Lines = Field(description="what was found out and is needed later: causes, values, names, error texts")
    completed: Lines = Field(description="what is done")
    pending: Lines = Field(description="what is still to do, the next step first")
    artifacts: Lines = Field(description="files, URLs, commits and ids that matter, each with what became of it")
    warnings: Lines = Field(description="what failed, is uncertain or must not be tried again")

    @property
    def text(self) -> str:
        """All that it says, as the model wrote it."""
        return "\n".join(value if isinstance(value, str) else "\n".join(value) for _name, value in self)


def answer_in(text: str) -> Answer:
    """The answer that stands in a text, also where prose or a code fence is around it. Raises Refused."""
    found = _object_in(text)
    if found is None:
        raise Refused("The model's answer holds no JSON object.")
    try:
        answer = Answer.model_validate_json(found)
    except ValidationError as e:
        raise Refused(f"The model's summary is not of the form that was asked for: {_faults(e)}.") from e
    if not any(_has_text(value) for _name, value in answer):
        raise Refused("The model gave an empty summary.")
    return answer


def response_format() -> dict[str, Any]:
    """For the endpoints that hold their model to a schema; the prompt says the same in words."""
    schema = Answer.model_json_schema()
    return {"type": "json_schema", "json_schema": {"name": "summary", "strict": True, "schema": schema}}


def in_words() -> str:
    lines = [
        f'"{name}" ({"a string" if field.annotation is str else "a list of strings"}): {field.description}'
        for name, field in Answer.model_fields.items()
    ]
    return "\n".join(lines)


def _object_in(text: str) -> str | None:
    """The longest JSON object of the text: what a model thinks aloud before its answer may hold smaller ones."""
    found: list[str] = []
    at = text.find("{")
    for _ in range(_OBJECTS_TRIED):
        if at < 0:
            break
        try:
            _, stop = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        found.append(text[at:stop])
        at = text.find("{", stop)
    return max(found, key=len, default=None)


def _has_text(value: str | list[str]) -> bool:
    return bool(value.strip()) if isinstance(value, str) else any(line.strip() for line in value)


def _faults(error: ValidationError) -> str:
    """Which members, and what is wrong with them, as far as it names them: what they hold is left out."""
    told = [
        f"{one_line('/'.join(map(str, fault['loc'])), 60) or 'the object'}: {one_line(fault['msg'], 80).rstrip('.')}"
        for fault in error.errors(include_input=False, include_url=False)
    ]
    return "; ".join(told[:_FAULTS_NAMED])
