# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs for links from the pages to the code, which the site lacks.

A picture of bench/ becomes a file of the site, and a link plain text. test/docs/test_pages.py
holds that these links lead somewhere in a checkout.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
PICTURE = re.compile(r"(!\[[^\]]*\]\((?:\.\./)*)\.\./(bench/[^)]+)\)")


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """The files of the site, with the pictures of bench/ that a page shows."""
    shown = {
        path
        for page in files.documentation_pages()
        for _, path in PICTURE.findall(page.content_string)
    }
    for path in sorted(shown):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page without links that lead out of docs/."""
    up = page.file.src_uri.count("/") + 1
    markdown = PICTURE.sub(r"\1\2)", markdown)
    return re.sub(rf"\[([^\]]+)\]\((?:\.\./){{{up}}}[^)]*\)", r"\1", markdown)
