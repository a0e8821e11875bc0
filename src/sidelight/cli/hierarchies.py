"""`sidelight hierarchies`: draft a hierarchy file for each column of a table."""

from __future__ import annotations

from sidelight.answers.hierarchies import HierarchiesRequest, ask
from sidelight.cli.options import FolderOptions
from sidelight.cli.run import Output, Status, make_folder, named_inputs
from sidelight.files import refuse_targets
from sidelight.table.hierarchy_io import hierarchy_file, write_hierarchy


def hierarchies(request: HierarchiesRequest, target: FolderOptions) -> Status:
    """Ask, write the drafts, and draw the answer."""
    targets = request.targets()
    if request.folder.is_dir():
        refuse_targets(targets, (*request.files(), *named_inputs()), force=target.force)
    answer = ask(request)
    make_folder(request.folder, "--output")
    for name, hierarchy in answer.hierarchies.items():
        write_hierarchy(hierarchy, request.folder / hierarchy_file(name))
    Output(target.json).deliver(answer, request)
    return Status.WITHIN_POLICY
