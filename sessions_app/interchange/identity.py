"""Under which id a session of a file is kept: the same one each time the file is imported."""

from uuid import UUID, uuid5

_NAMESPACE = UUID("5b1c6f0e-8d0a-4c57-9a43-6f7d3a1e2b90")


def session_id_for(*, owner_id: int, format: str, native_id: str, branch: str = "", content: str = "") -> str:
    """uuid5 of owner, format, the file's own session id, the branch, and the content's hash where that counts.

    Each part with its length, so that no two lists of parts read alike.
    """
    parts = (str(owner_id), format, native_id, branch, content)
    name = "".join(f"{len(part)}:{part}" for part in parts)
    return str(uuid5(_NAMESPACE, name.encode("utf-8", errors="surrogatepass").hex()))
