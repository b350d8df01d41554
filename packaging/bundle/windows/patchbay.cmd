@"%~dp0..\python\python.exe" -I -m patchbay %*
