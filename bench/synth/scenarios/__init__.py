"""The scenarios that a session can be made of: words, names and templates, no logic."""

from bench.synth.scenarios.build_tool import BUILD_TOOL
from bench.synth.scenarios.data_pipeline import DATA_PIPELINE
from bench.synth.scenarios.mobile_sync import MOBILE_SYNC
from bench.synth.scenarios.model import Scenario
from bench.synth.scenarios.web_shop import WEB_SHOP

SCENARIOS: dict[str, Scenario] = {s.name: s for s in (WEB_SHOP, DATA_PIPELINE, MOBILE_SYNC, BUILD_TOOL)}

__all__ = ["SCENARIOS", "Scenario"]
