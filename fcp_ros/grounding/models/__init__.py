# SPDX-License-Identifier: Apache-2.0
"""Models on the disk and on a device: checked folders, fingerprints, torch devices."""
