"""What can be done in a Redmine."""
