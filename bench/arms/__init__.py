"""What is compared: arms from their files, and those that need no model built."""

from bench.arms.load import arm_files, check_distinct, find_arm, list_arms, load_arm
from bench.arms.model import Arm, ArmFile

__all__ = ["Arm", "ArmFile", "arm_files", "check_distinct", "find_arm", "list_arms", "load_arm"]
