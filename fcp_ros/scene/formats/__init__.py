# SPDX-License-Identifier: Apache-2.0
"""The file formats of scenes: a reader for each, and a writer of our own.

A reader has two functions: ``is_x(file)`` recognises a `SceneFile` by its content, and
``read_x(file)`` returns its `SceneGraph`, with the source's own relations only. Most readers
validate the document by pydantic models, assign plain ids, and build nodes. `fcp_ros.scene.loading`
has the table of all readers; a new format is a file here and an entry there.

- `scene_file`: the opened file and its limits
- `validation`: pydantic types, errors that name the entry, repeated keys
- `source_graph`: plain ids, and the graph of what a source states, without places that cannot be
- `xml_text`: XML of untrusted files
- `geometry`: coordinate frames, boxes from corners and axes, outlines
- `canonical`: our own format and the short house layout, read and written
- `spark_dsg`: Hydra, JSON and binary
- `usd`: Isaac Sim, in the sandbox
- `ai2thor`, `procthor`: AI2-THOR events and ProcTHOR houses, in Unity's frame
- `pyrobosim`: its worlds; `pyrobosim_entries`: the entries of its files, with their shapes
- `worlds`: Gazebo (SDF), MuJoCo (MJCF), URDF, Habitat
- `armeni`, `concept_graphs`, `context_matters`, `hov_sg`, `omnigibson`, `taskography`,
  `three_dssg`: data sets and tools of those names
- `segments`: folders of meshes and point clouds
"""
