"""Where the deployed side comes from: folders in the layouts people have, git revisions, single files."""
