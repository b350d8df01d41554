"""The My Apps tab: connect apps, test and renew connections."""
