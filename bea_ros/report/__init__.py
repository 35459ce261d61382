# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""report.html: one page, pictures inside, on what a run did."""

from bea_ros.report.page import write_report

__all__ = ["write_report"]
