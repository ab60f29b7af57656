"""Which interface of CPython suits this interpreter, and where its headers are: for CMakeLists.txt."""

import sys
import sysconfig

free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
stable = "abi3t" if free else "abi3"
print(stable if not free or sys.version_info >= (3, 15) else sysconfig.get_config_var("SOABI"), sysconfig.get_path("include"), sep=";")
