"""Which tools a session has used."""

from typing import Final

from django.db import connection

from sessions_app import jsontext
from sessions_app.models import RawFrame

# From one name to the next by the index `frame_tool_names`, whatever number of frames lies between. The beginning has
# to be written as the index has it.
_NAMES: Final = """
WITH RECURSIVE names (n, beginning) AS (
    SELECT 1, (SELECT {beginning} FROM {frame} WHERE {replies} AND {beginning} > '' ORDER BY {beginning} LIMIT 1)
    UNION ALL
    SELECT n + 1,
           (SELECT {beginning} FROM {frame} WHERE {replies} AND {beginning} > names.beginning
            ORDER BY {beginning} LIMIT 1)
    FROM names WHERE names.beginning IS NOT NULL AND n < %(limit)s
)
SELECT (SELECT tool_names FROM {frame} WHERE {replies} AND {beginning} = names.beginning LIMIT 1)
FROM names WHERE names.beginning IS NOT NULL
"""


def tool_names(session_id: str, *, limit: int = 100) -> tuple[str, ...]:
    """The distinct names of the tools that replied in a session, sorted, `limit` at most. Of names that are alike for
    200 characters it gives one. One statement of a few index probes a name.
    """
    beginning = "LEFT(tool_names, 200)" if connection.vendor == "postgresql" else "SUBSTR(tool_names, 1, 200)"
    sql = _NAMES.format(
        frame=RawFrame._meta.db_table, beginning=beginning, replies="session_id = %(session_id)s AND role = 'tool'"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, {"session_id": session_id, "limit": limit})
        lines = [row[0] for row in cursor.fetchall()]
    return tuple(sorted({name for line in lines for name in jsontext.unescape_lines(line)}))
