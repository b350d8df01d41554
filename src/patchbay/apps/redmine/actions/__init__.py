"""Actions in Redmine."""
