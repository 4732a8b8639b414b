"""A run as one HTML file that needs nothing beside itself: a layer above analysis and figures."""

from bench.report.write import report_path, write_report

__all__ = ["report_path", "write_report"]
