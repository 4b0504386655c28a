"""Views of a device that the templates of several platforms share."""
