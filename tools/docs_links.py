# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs: links from the pages to the code, which the site lacks, become plain text.

test/docs/test_pages.py holds that these links lead somewhere in a checkout.
"""

from __future__ import annotations

import re
from typing import Any


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page without links that lead out of docs/."""
    up = page.file.src_uri.count("/") + 1
    return re.sub(rf"\[([^\]]+)\]\((?:\.\./){{{up}}}[^)]*\)", r"\1", markdown)
