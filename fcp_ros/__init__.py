# SPDX-License-Identifier: Apache-2.0
"""Graded task planning for robots: scene graph and vague goal in, verified graded plan out."""

from pkgutil import extend_path

# A checkout has the sources here and the built interfaces (fcp_ros.msg, .srv, .action) in another
# folder of the same name on the path; an installation has both in one.
__path__ = extend_path(__path__, __name__)
