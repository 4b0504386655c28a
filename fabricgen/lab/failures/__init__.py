"""Every single failure caused in a running lab, and held against what ``analyze failures`` predicts."""
