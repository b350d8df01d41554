"""What people do manually: run now, test steps, cancel, retry, and replay."""
