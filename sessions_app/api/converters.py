"""What may stand in a path: anything else is 404, as it names nothing that there could be."""


class SessionId:
    regex = r"(?!\.{1,2}/)[A-Za-z0-9._:@~-]{1,200}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class Seq:
    regex = r"[1-9][0-9]{0,17}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)
