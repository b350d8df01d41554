"""What is kept of services elsewhere: their last answers and a copy of their history, one file each."""
