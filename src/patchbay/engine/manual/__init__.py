"""What people start by hand: run now, tests of steps, cancel, retry, replay."""
