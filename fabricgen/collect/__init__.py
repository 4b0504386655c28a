"""Sources of the deployed side: folders in common layouts, git revisions, single files."""
