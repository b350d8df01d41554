"""A Windows job object: limits memory and ends all processes that a process started."""

import ctypes
import sys
from ctypes import wintypes
from typing import Any

assert sys.platform == "win32"

_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE = 0x2000
_JOB_MEMORY = 0x0200
_SET_QUOTA_AND_TERMINATE = 0x0101


class _BasicLimits(ctypes.Structure):
    _fields_ = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", wintypes.DWORD),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", wintypes.DWORD),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", wintypes.DWORD),
        ("SchedulingClass", wintypes.DWORD),
    ]


class _ExtendedLimits(ctypes.Structure):
    _fields_ = [
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
_kernel.OpenProcess.restype = wintypes.HANDLE
_kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
_kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
_kernel.CloseHandle.argtypes = (wintypes.HANDLE,)


class JobObject:
    """A job object assigned before the process runs, so that all its children belong to it.

    Raises `OSError` if the system rejects a call: a process without its limits must not run.
    """

    def __init__(self, pid: int, megabytes: int) -> None:
        self._job = _checked(_kernel.CreateJobObjectW(None, None))
        try:
            self.limit_memory(megabytes)
            process = _checked(_kernel.OpenProcess(_SET_QUOTA_AND_TERMINATE, False, pid))
            try:
                _checked(_kernel.AssignProcessToJobObject(self._job, process))
            finally:
                _kernel.CloseHandle(process)
        except BaseException:
            _kernel.CloseHandle(self._job)
            raise

    def limit_memory(self, megabytes: int) -> None:
        """Limit the total memory of the job's processes."""
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE | _JOB_MEMORY
        limits.JobMemoryLimit = megabytes << 20
        size = ctypes.sizeof(limits)
        _checked(_kernel.SetInformationJobObject(self._job, _EXTENDED_LIMITS, ctypes.byref(limits), size))

    def end(self) -> None:
        """End all processes of the job."""
        _kernel.TerminateJobObject(self._job, 1)  # closing the handle would end them too
        _kernel.CloseHandle(self._job)


def _checked(result: Any) -> Any:
    """The result of a call, or the error that the system has for it."""
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())
    return result
